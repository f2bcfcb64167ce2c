/* Bytes a minute as bars, one group for each scene, on a scale of powers of ten: an SVG drawn by hand. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "output.h"

#define PLOT_W 960.0
#define PLOT_LEFT 130.0  /**< where the bars begin */
#define PLOT_RIGHT 860.0 /**< and the longest may end */
#define PLOT_TOP 76.0
#define ROW_H 22.0
#define GROUP_H 44.0 /**< heading and space */

/** What is drawn, and on what scale. */
typedef struct svg_plot {
    tool_output *output;
    double low, high; /**< powers of ten */
} svg_plot;

static void draw(svg_plot *plot, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void draw(svg_plot *plot, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tool_output_add(plot->output, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

/** A name as XML text; what is not printable ASCII becomes '?'. */
static void escape(const char *text, char *out, size_t out_bytes) {
    size_t used = 0;
    for (; *text && used + 7 < out_bytes; text++) {
        const char *as = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : NULL;
        const char one[2] = {*text >= ' ' && *text <= '~' ? *text : '?', '\0'};
        used += (size_t)snprintf(out + used, out_bytes - used, "%s", as ? as : one);
    }
    out[used] = '\0';
}

static double place(const svg_plot *plot, double bytes) {
    const double part = (log10(bytes) - plot->low) / (plot->high - plot->low);
    return PLOT_LEFT + (PLOT_RIGHT - PLOT_LEFT) * (part < 0 ? 0 : part);
}

static void print_bytes(double bytes, char *out, size_t out_bytes) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    size_t unit = 0;
    for (; bytes >= 999.5 && unit + 1 < sizeof units / sizeof units[0]; unit++)
        bytes /= 1000;
    snprintf(out, out_bytes, "%.*f %s", unit == 0 || bytes >= 99.5 ? 0 : bytes >= 9.95 ? 1 : 2, bytes, units[unit]);
}

static void find_scale(svg_plot *plot, const bench_report *reports, uint32_t count) {
    double least = 1e300, most = 1;
    for (uint32_t i = 0; i < count; i++)
        for (int j = 0; j < BENCH_SCHEMES; j++) {
            const double bytes = reports[i].results[j].bytes_per_minute;
            if (bytes <= 0)
                continue;
            least = bytes < least ? bytes : least;
            most = bytes > most ? bytes : most;
        }
    plot->low = floor(log10(least < most ? least : most) - 0.2);
    plot->high = ceil(log10(most));
    if (plot->high <= plot->low)
        plot->high = plot->low + 1;
}

static void draw_scale(svg_plot *plot, double bottom) {
    for (double power = plot->low; power <= plot->high; power++) {
        char text[32];
        const double x = place(plot, pow(10, power));
        print_bytes(pow(10, power), text, sizeof text);
        draw(plot, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#d9d9d4\"/>\n", x, PLOT_TOP, x,
             bottom);
        draw(plot, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" fill=\"#666\">%s</text>\n", x, PLOT_TOP - 6,
             text);
    }
}

/** Eddy's bars stand out. */
static const char *colour_of(int scheme) {
    return scheme == BENCH_EDDY ? "#0b6e6e" : scheme == BENCH_EDDY_LIVE ? "#5aa9a6" : "#b9b4a8";
}

static double draw_scene(svg_plot *plot, const bench_report *report, double y) {
    char name[256], text[32];
    escape(report->name, name, sizeof name);
    draw(plot, "<text x=\"16\" y=\"%.1f\" font-size=\"15\" font-weight=\"bold\">%.200s</text>\n", y + 28, name);
    y += GROUP_H - 8;
    for (int i = 0; i < BENCH_SCHEMES; i++) {
        const double bytes = report->results[i].bytes_per_minute;
        if (bytes <= 0)
            continue;
        const double end = place(plot, bytes);
        print_bytes(bytes, text, sizeof text);
        draw(plot, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", PLOT_LEFT - 8, y + 14.5,
             bench_scheme_names[i]);
        draw(plot, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", PLOT_LEFT, y + 2,
             end - PLOT_LEFT < 1 ? 1 : end - PLOT_LEFT, ROW_H - 5, colour_of(i));
        draw(plot, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", end + 6, y + 14.5, text);
        y += ROW_H;
    }
    return y + 8;
}

static double scene_height(const bench_report *report) {
    double height = GROUP_H;
    for (int i = 0; i < BENCH_SCHEMES; i++)
        height += report->results[i].bytes_per_minute > 0 ? ROW_H : 0;
    return height;
}

eddy_result bench_plot(const char *path, const bench_report *reports, uint32_t count, eddy_error *error) {
    svg_plot plot = {0};
    eddy_result result = tool_output_begin(path, &plot.output, error);
    if (result != EDDY_OK)
        return result;
    double bottom = PLOT_TOP;
    for (uint32_t i = 0; i < count; i++)
        bottom += scene_height(&reports[i]);
    find_scale(&plot, reports, count);
    draw(&plot,
         "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
         "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n"
         "<rect width=\"100%%\" height=\"100%%\" fill=\"#fbfaf6\"/>\n"
         "<text x=\"16\" y=\"30\" font-size=\"18\" font-weight=\"bold\">Memory a minute of play</text>\n"
         "<text x=\"16\" y=\"48\" fill=\"#666\">less is better; each line to the right is ten times more</text>\n",
         PLOT_W, bottom + 16, PLOT_W, bottom + 16);
    draw_scale(&plot, bottom);
    double y = PLOT_TOP;
    for (uint32_t i = 0; i < count; i++)
        y = draw_scene(&plot, &reports[i], y);
    draw(&plot, "</svg>\n");
    return tool_output_end(plot.output, true, error);
}
