#include "worker.h"

#include "memory.h"

#include <pthread.h>
#include <signal.h>

struct work_thread {
    eddy_hooks hooks;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t came, went; /* an item came or the end; an item is done */
    work_item *first;
    bool is_ending;
};

/* Takes the first item, or NULL at the end. The mutex is held. */
static work_item *take_first(work_thread *worker) {
    while (!worker->first && !worker->is_ending) {
        pthread_cond_wait(&worker->came, &worker->mutex);
    }
    work_item *item = worker->first;
    if (item) {
        worker->first = item->next;
        item->state = WORK_RUNNING;
    }
    return item;
}

static void *work(void *user) {
    work_thread *worker = user;
    pthread_mutex_lock(&worker->mutex);
    for (work_item *item; (item = take_first(worker)) != NULL;) {
        pthread_mutex_unlock(&worker->mutex);
        item->run(item);
        pthread_mutex_lock(&worker->mutex);
        item->state = WORK_DONE;
        pthread_cond_broadcast(&worker->went);
    }
    pthread_mutex_unlock(&worker->mutex);
    return NULL;
}

/* Signals are the game's: its threads handle them. */
static bool start_thread(work_thread *worker) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool good = pthread_create(&worker->thread, NULL, work, worker) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return good;
}

work_thread *worker_create(const eddy_hooks *hooks) {
    work_thread *worker = memory_reserve(hooks, sizeof *worker);
    if (!worker) {
        return NULL;
    }
    worker->hooks = *hooks;
    pthread_mutex_init(&worker->mutex, NULL);
    pthread_cond_init(&worker->came, NULL);
    pthread_cond_init(&worker->went, NULL);
    if (!start_thread(worker)) {
        memory_release(hooks, worker, sizeof *worker);
        return NULL;
    }
    return worker;
}

void worker_destroy(work_thread *worker) {
    if (!worker) {
        return;
    }
    pthread_mutex_lock(&worker->mutex);
    worker->is_ending = true;
    pthread_cond_signal(&worker->came);
    pthread_mutex_unlock(&worker->mutex);
    pthread_join(worker->thread, NULL);
    pthread_cond_destroy(&worker->came);
    pthread_cond_destroy(&worker->went);
    pthread_mutex_destroy(&worker->mutex);
    eddy_hooks hooks = worker->hooks;
    memory_release(&hooks, worker, sizeof *worker);
}

void worker_submit(work_thread *worker, work_item *item, bool is_urgent) {
    item->state = WORK_QUEUED;
    item->next = NULL;
    if (!worker) {
        return;
    }
    pthread_mutex_lock(&worker->mutex);
    work_item **at = &worker->first;
    while (*at && !is_urgent) {
        at = &(*at)->next;
    }
    item->next = *at;
    *at = item;
    pthread_cond_signal(&worker->came);
    pthread_mutex_unlock(&worker->mutex);
}

bool worker_is_done(work_thread *worker, const work_item *item) {
    if (!worker) {
        return item->state == WORK_DONE;
    }
    pthread_mutex_lock(&worker->mutex);
    bool done = item->state == WORK_DONE;
    pthread_mutex_unlock(&worker->mutex);
    return done;
}

/* Takes a queued item out of the queue, so that it can be run here. The mutex is held. */
static bool take_out(work_thread *worker, work_item *item) {
    if (item->state != WORK_QUEUED) {
        return false;
    }
    work_item **at = &worker->first;
    while (*at != item) {
        at = &(*at)->next;
    }
    *at = item->next;
    return true;
}

void worker_finish(work_thread *worker, work_item *item) {
    bool run_here = !worker && item->state == WORK_QUEUED;
    if (worker) {
        pthread_mutex_lock(&worker->mutex);
        run_here = take_out(worker, item);
        while (!run_here && item->state != WORK_DONE) {
            pthread_cond_wait(&worker->went, &worker->mutex);
        }
        pthread_mutex_unlock(&worker->mutex);
    }
    if (run_here) {
        item->run(item);
        item->state = WORK_DONE;
    }
}
