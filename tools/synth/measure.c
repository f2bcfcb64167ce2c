/* What a sound measures, and the rules it must keep. */
#include "synth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** A second-order section with its memory. */
typedef struct section {
    double b0, b1, b2, a1, a2, z1, z2;
} section;

static double section_step(section *s, double in) {
    double out = s->b0 * in + s->z1;
    s->z1 = s->b1 * in - s->a1 * out + s->z2;
    s->z2 = s->b2 * in - s->a2 * out;
    return out;
}

static double decibels(double power) {
    return power > 1e-20 ? 10 * log10(power) : -200;
}

/** Power of one channel as the ear weighs it: ITU-R BS.1770 at 48 kHz. */
static double weighted_power(const float *samples, size_t count) {
    section shelf = {1.53512485958697, -2.69169618940638, 1.19839281085285, -1.69065929318241, 0.73248077421585, 0, 0};
    section high = {1, -2, 1, -1.99004745483398, 0.99007225036621, 0, 0};
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double sample = section_step(&high, section_step(&shelf, samples[i]));
        sum += sample * sample;
    }
    return count ? sum / (double)count : 0;
}

static float step_at(const float *samples, size_t i) {
    return fabsf(samples[i + 1] - samples[i]);
}

/** The step of a given rank among `count` - 1. Bits of floats over 0 are in the order of their values, so two counts,
 * by the upper and then by the lower half of the bits, find it without sorting. */
static float step_of_rank(const float *samples, size_t count, size_t rank, uint32_t *bins) {
    uint32_t high = 0;
    for (uint32_t half = 0; half < 2; half++) {
        memset(bins, 0, 65536 * sizeof *bins);
        for (size_t i = 0; i + 1 < count; i++) {
            float step = step_at(samples, i);
            uint32_t bits;
            memcpy(&bits, &step, sizeof bits);
            if (!half)
                bins[bits >> 16]++;
            else if (bits >> 16 == high)
                bins[bits & 0xffff]++;
        }
        uint32_t bin = 0;
        while (bin < 65535 && rank >= bins[bin])
            rank -= bins[bin++];
        high = high << 16 | bin;
    }
    float found;
    memcpy(&found, &high, sizeof found);
    return found;
}

/** Steps of one channel, and the seam against them. */
static eddy_result measure_steps(const float *samples, size_t count, synth_measurement *out, eddy_error *error) {
    if (count < 2)
        return EDDY_OK;
    uint32_t *bins = malloc(65536 * sizeof *bins);
    if (!bins)
        return eddy_fail(error, EDDY_E_MEMORY, "out of memory to measure steps");
    double usual = step_of_rank(samples, count, (size_t)((double)(count - 2) * 0.999), bins);
    free(bins);
    for (size_t i = 0; i + 1 < count; i++)
        out->step_max = fmax(out->step_max, (double)step_at(samples, i));
    double seam = fabs((double)samples[0] - samples[count - 1]);
    double ratio = seam > 0 ? seam / (usual > 1e-9 ? usual : 1e-9) : 0;
    out->step_p999 = fmax(out->step_p999, usual);
    if (ratio >= out->seam_ratio) {
        out->seam_ratio = ratio;
        out->seam = seam;
    }
    return EDDY_OK;
}

/** Mean power of the channels from `first` on, up to half a second. */
static double half_second_power(const synth_audio *audio, size_t first) {
    size_t count = audio->count - first < SYNTH_RATE / 2 ? audio->count - first : SYNTH_RATE / 2;
    double sum = 0;
    for (uint32_t c = 0; c < audio->channels; c++)
        for (size_t i = 0; i < count; i++)
            sum += (double)audio->samples[c][first + i] * audio->samples[c][first + i];
    return count ? sum / (double)count / audio->channels : 0;
}

eddy_result synth_measure(const synth_audio *audio, synth_measurement *out, eddy_error *error) {
    *out = (synth_measurement){.count = audio->count, .channels = audio->channels};
    double peak = 0, power = 0, weighted = 0, least = 1e9;
    for (uint32_t c = 0; c < audio->channels; c++) {
        const float *samples = audio->samples[c];
        double sum = 0;
        for (size_t i = 0; i < audio->count; i++) {
            peak = fmax(peak, fabs((double)samples[i]));
            power += (double)samples[i] * samples[i];
            sum += samples[i];
        }
        if (audio->count) {
            out->dc = fmax(out->dc, fabs(sum / (double)audio->count));
            out->edge = fmax(out->edge, fmax(fabs((double)samples[0]), fabs((double)samples[audio->count - 1])));
        }
        weighted += weighted_power(samples, audio->count);
        eddy_result result = measure_steps(samples, audio->count, out, error);
        if (result)
            return result;
    }
    for (size_t at = 0; at < audio->count; at += SYNTH_RATE / 2)
        if (at == 0 || audio->count - at >= SYNTH_RATE / 2)
            least = fmin(least, half_second_power(audio, at));
    out->peak_db = decibels(peak * peak);
    out->rms_db = audio->count ? decibels(power / (double)audio->count / audio->channels) : -200;
    out->loudness_lufs = weighted > 1e-20 ? -0.691 + decibels(weighted) : -200;
    out->first_rms_db = audio->count ? decibels(half_second_power(audio, 0)) : -200;
    out->least_rms_db = audio->count ? decibels(least) : -200;
    return EDDY_OK;
}

eddy_result synth_judge(const char *name, const synth_measurement *measured, size_t count, uint32_t channels, bool loop,
                        eddy_error *error) {
    if (measured->count != count)
        return eddy_fail(error, EDDY_E_VALUE, "%s: expected %zu samples, found %zu", name, count, measured->count);
    if (measured->channels != channels)
        return eddy_fail(error, EDDY_E_VALUE, "%s: expected %u channels, found %u", name, channels, measured->channels);
    if (measured->peak_db > SYNTH_PEAK_MAX_DB)
        return eddy_fail(error, EDDY_E_VALUE, "%s: peak %.2f dBFS is over %.1f; lower its loudness", name,
                         measured->peak_db, SYNTH_PEAK_MAX_DB);
    if (!(measured->rms_db >= -60))
        return eddy_fail(error, EDDY_E_VALUE, "%s: silent or no number: %.1f dBFS on the whole", name,
                         measured->rms_db);
    if (measured->dc > 1e-3)
        return eddy_fail(error, EDDY_E_VALUE, "%s: DC of %.5f; raise its highpass", name, measured->dc);
    if (loop && measured->seam_ratio > 1)
        return eddy_fail(
            error, EDDY_E_VALUE,
            "%s: the seam steps %.6f, %.2f times the material's 99.9th percentile; turn the loop to a calmer place",
            name, measured->seam, measured->seam_ratio);
    if (!loop && measured->edge > 2e-3)
        return eddy_fail(error, EDDY_E_VALUE, "%s: begins or ends at %.5f instead of 0; lengthen its fade", name,
                         measured->edge);
    return EDDY_OK;
}
