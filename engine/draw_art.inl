/* Every drawing of the art folder, and the few shapes made by arithmetic.
 *
 * DRAW_ART(NAME, file without ".svg", anchor x, anchor y): the anchor, as a part of the width and height, is the point
 * that is put at a thing's place. DRAW_SCENERY(NAME, file, anchor x, anchor y): the same, and a level may name the file
 * as a `kind` of scenery. DRAW_MADE(NAME, width, height): px; its shape is in draw_art.c. */
#ifndef DRAW_ART
#define DRAW_ART(NAME, file, ax, ay)
#endif
#ifndef DRAW_SCENERY
#define DRAW_SCENERY(NAME, file, ax, ay) DRAW_ART(NAME, file, ax, ay)
#endif
#ifndef DRAW_MADE
#define DRAW_MADE(NAME, width, height)
#endif

DRAW_ART(MOTH_CLOAK, "moth_cloak", 0.5f, 1.0f)
DRAW_ART(MOTH_CAPE, "moth_cape", 0.5f, 0.06f)
DRAW_ART(MOTH_HEAD, "moth_head", 0.5f, 0.86f)
DRAW_ART(MOTH_LEG, "moth_leg", 0.5f, 0.08f)
DRAW_ART(MOTH_LANTERN, "moth_lantern", 0.5f, 0.02f)
DRAW_ART(KETTLE_BODY, "kettle_body", 0.5f, 1.0f)
DRAW_ART(KETTLE_LEG, "kettle_leg", 0.5f, 0.08f)
DRAW_ART(KETTLE_FLAT, "kettle_flat", 0.5f, 1.0f)
DRAW_ART(NETTLE_A, "nettle_a", 0.5f, 1.0f)
DRAW_ART(NETTLE_B, "nettle_b", 0.5f, 1.0f)
DRAW_ART(NETTLE_C, "nettle_c", 0.5f, 1.0f)
DRAW_ART(PAN, "pan", 0.5f, 0.12f)
DRAW_ART(CHAIN, "chain", 0.5f, 0.0f)
DRAW_ART(PULLEY, "pulley", 0.5f, 0.5f)
DRAW_ART(BEAM, "beam", 0.0f, 0.5f)
DRAW_ART(RIM, "rim", 0.5f, 0.5f)
DRAW_ART(HUB, "hub", 0.5f, 0.5f)
DRAW_ART(WICK, "wick", 0.5f, 0.5f)
DRAW_ART(FLAME, "flame", 0.5f, 0.9f)
DRAW_ART(LEVER_BASE, "lever_base", 0.5f, 1.0f)
DRAW_ART(LEVER_ARM, "lever_arm", 0.5f, 0.94f)
DRAW_ART(GATE, "gate", 0.5f, 0.0f)
DRAW_ART(GATE_FOOT, "gate_foot", 0.5f, 1.0f)
DRAW_ART(EXIT, "exit", 0.5f, 1.0f)
DRAW_ART(EXIT_LIT, "exit_lit", 0.5f, 1.0f)
DRAW_SCENERY(TREE, "tree", 0.5f, 0.985f)
DRAW_SCENERY(PINE, "pine", 0.5f, 0.985f)
DRAW_SCENERY(BUSH, "bush", 0.5f, 0.96f)
DRAW_SCENERY(FERN, "fern", 0.5f, 0.97f)
DRAW_SCENERY(REEDS, "reeds", 0.5f, 0.98f)
DRAW_SCENERY(GRASS, "grass", 0.5f, 0.96f)
DRAW_SCENERY(MUSHROOMS, "mushrooms", 0.5f, 0.97f)
DRAW_SCENERY(ROCK, "rock", 0.5f, 0.93f)
DRAW_SCENERY(STUMP, "stump", 0.5f, 0.95f)
DRAW_SCENERY(HOUSE, "house", 0.5f, 0.99f)
DRAW_SCENERY(TOWER, "tower", 0.5f, 0.99f)
DRAW_SCENERY(MILL, "mill", 0.5f, 0.99f)
DRAW_SCENERY(FENCE, "fence", 0.5f, 0.97f)
DRAW_SCENERY(BARREL, "barrel", 0.5f, 0.97f)
DRAW_SCENERY(CRATE, "crate", 0.5f, 0.97f)
DRAW_SCENERY(SIGN, "sign", 0.5f, 0.98f)
DRAW_SCENERY(LAMP, "lamp", 0.5f, 0.99f)
DRAW_SCENERY(LANTERN, "lantern", 0.5f, 1.0f)
DRAW_SCENERY(ROOTS, "roots", 0.5f, 0.04f)
DRAW_SCENERY(ARCH, "arch", 0.5f, 0.99f)
DRAW_MADE(DOT, 24, 24)
DRAW_MADE(GLOW, 128, 128)
DRAW_MADE(PUFF, 64, 64)
DRAW_MADE(LINE, 8, 12)
DRAW_MADE(PANEL, 40, 40)
DRAW_MADE(FRAME, 40, 40)
DRAW_MADE(ARROW, 32, 32)
DRAW_MADE(SCRAP, 16, 16)

#undef DRAW_ART
#undef DRAW_SCENERY
#undef DRAW_MADE
