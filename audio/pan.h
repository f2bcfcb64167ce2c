/* How loud a sound is in each ear. Private to audio/. */
#ifndef EDDY_AUDIO_PAN_H
#define EDDY_AUDIO_PAN_H

#include "sound.h"

typedef struct pan_gains {
    float level;  /**< the sound's gain after distance and category */
    float ear[2]; /**< what its left and right channel are multiplied by */
} pan_gains;

/** Here: `level` in both ears. At a place: falls in a straight line from 1 at the listener to 0 at the range; fully to
 * a side is 1 and 1/5, ahead 1/2 and 1/2, in a straight line of dx between, a side being half the range away. A gain
 * that is negative or no number is 0, a range that is not above 0 is silence. */
pan_gains pan_of(const eddy_sound *sound, float listener_x, float listener_y, float category_volume);

#endif
