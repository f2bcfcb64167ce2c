/* The sounds that rules make: WORLD_CUE(NAME, catalog key). A key that the catalog has not is silence.
 * Loops follow their emitter; music and ambience have the keys their level names. */
WORLD_CUE(JUMP, "jump")
WORLD_CUE(LAND, "land")
WORLD_CUE(STEP, "step")
WORLD_CUE(DIE, "die")
WORLD_CUE(STOMP, "stomp")
WORLD_CUE(WICK, "wick")
WORLD_CUE(LEVER, "lever")
WORLD_CUE(GATE, "gate")
WORLD_CUE(EXIT, "exit")
WORLD_CUE(KETTLE, "kettle_walk") /* loop: a kettle walking */
WORLD_CUE(PAN, "pan_hum")        /* loop: a pan on a line */
WORLD_CUE(WHEEL, "wheel_creak")  /* loop: a wheel turning */
