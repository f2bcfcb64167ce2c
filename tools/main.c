/* The one program `eddy`: finds the verb and hands over. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

typedef struct verb {
    const char *name, *arguments, *sentence;
    int (*run)(int argc, char **argv);
} verb;

static const verb verbs[] = {
#define TOOL_VERB(name, arguments, sentence) {#name, arguments, sentence, tool_##name},
#include "verbs.inl"
#undef TOOL_VERB
};
enum { VERB_COUNT = sizeof verbs / sizeof verbs[0] };

volatile sig_atomic_t tool_interrupted;

static void interrupt(int signal_number) {
    if (tool_interrupted)
        _exit(128 + signal_number);
    tool_interrupted = signal_number;
}

void tool_catch_interrupts(void) {
    struct sigaction action = {.sa_handler = interrupt};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction hangup;
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) /* nohup stays in force */
        sigaction(SIGHUP, &action, NULL);
}

int tool_usage(const char *verb_name, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "eddy %s: ", verb_name);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\nTry `eddy %s --help`.\n", verb_name);
    va_end(arguments);
    return TOOL_USAGE;
}

/** The last line logged: an error that the log has told is not told again when the call that met it returns. */
static char logged[sizeof((eddy_error *)0)->text];

int tool_failed(const eddy_error *error) {
    if (strcmp(error->text, logged) != 0)
        fprintf(stderr, "eddy: %s\n", error->text);
    return TOOL_FAILED;
}

void tool_log(void *user, const char *line) {
    (void)user;
    snprintf(logged, sizeof logged, "%s", line);
    fprintf(stderr, "eddy: %s\n", line);
}

const char *tool_axis_unit(eddy_axis axis) {
    return axis == EDDY_AXIS_WORLD ? "frame" : "tick";
}

bool tool_number(const char *text, uint64_t min, uint64_t max, uint64_t *out) {
    if (!*text || strspn(text, "0123456789") != strlen(text) || strlen(text) > 19)
        return false;
    *out = strtoull(text, NULL, 10);
    return *out >= min && *out <= max;
}

bool tool_bytes(const char *text, uint64_t *out) {
    static const struct {
        const char *suffix;
        uint64_t factor;
    } units[] = {{"", 1},           {"B", 1},         {"k", 1000},       {"kB", 1000},       {"KB", 1000},
                 {"M", 1000000},    {"MB", 1000000},  {"G", 1000000000}, {"GB", 1000000000}, {"KiB", 1u << 10},
                 {"MiB", 1u << 20}, {"GiB", 1u << 30}};
    const size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 15)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(text + digits, units[i].suffix) == 0) {
            const uint64_t number = strtoull(text, NULL, 10);
            if (number > UINT64_MAX / units[i].factor)
                return false;
            *out = number * units[i].factor;
            return true;
        }
    return false;
}

int tool_file_parse(int argc, char **argv, const char *help_text, int file_count, tool_file_options *out) {
    static const struct option options[] = {
        {"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    *out = (tool_file_options){0};
    optind = 1;
    int id;
    while ((id = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (id == 'j')
            out->json = true;
        else if (id == 'h')
            out->help = true;
        else
            return tool_usage(argv[0], "an option is not understood");
    }
    if (out->help) {
        fputs(help_text, stdout);
        return TOOL_DONE;
    }
    if (argc - optind != file_count)
        return tool_usage(argv[0], "expected %d file%s, found %d", file_count, file_count == 1 ? "" : "s",
                          argc - optind);
    for (int i = 0; i < file_count; i++)
        out->paths[i] = argv[optind + i];
    return TOOL_DONE;
}

static void print_help(FILE *out) {
    fputs("Eddy records every frame of a game world and gives any of them back, to the bit.\n\n", out);
    for (size_t i = 0; i < VERB_COUNT; i++)
        fprintf(out, "  eddy %-7s %-28s %s\n", verbs[i].name, verbs[i].arguments, verbs[i].sentence);
    fputs("  eddy --help, eddy VERB --help, eddy --version\n", out);
}

static int unknown_verb(const char *name) {
    fprintf(stderr, "eddy: unknown verb \"%s\"; expected one of:", name);
    for (size_t i = 0; i < VERB_COUNT; i++)
        fprintf(stderr, " %s", verbs[i].name);
    fputs("\nTry `eddy --help`.\n", stderr);
    return TOOL_USAGE;
}

/** A file opened later must not become stdin, stdout or stderr. What is put in place of a closed one refuses to be
 * used. */
static void keep_standard_files(void) {
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
            open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/** Results that did not get out are a failure, which `status` becomes unless it is one already. */
static int flush_results(int status) {
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "eddy: the results could not be written: %s\n", strerror(errno));
    return status == TOOL_DONE || status == TOOL_LOST ? TOOL_FAILED : status;
}

int main(int argc, char **argv) {
    keep_standard_files();
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_IGN); /* a full quota is an error of write(), not the end of the game */
    if (argc < 2) {
        print_help(stderr);
        return TOOL_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return flush_results(TOOL_DONE);
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("eddy " EDDY_VERSION);
        return flush_results(TOOL_DONE);
    }
    for (size_t i = 0; i < VERB_COUNT; i++)
        if (strcmp(argv[1], verbs[i].name) == 0)
            return flush_results(verbs[i].run(argc - 1, argv + 1));
    return unknown_verb(argv[1]);
}
