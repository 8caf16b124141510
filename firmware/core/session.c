#include "session.h"

bool twf_session_silent(const struct twf_feeder *feeder, uint32_t for_ms) {
    return feeder->machine.now_ms - feeder->heard_ms >= for_ms;
}

bool twf_session_holding(const struct twf_feeder *feeder) {
    return twf_session_silent(feeder, TWF_REFERENCE_HOLD_AFTER_MS);
}

uint8_t twf_session_state(const struct twf_feeder *feeder) {
    const struct twf_machine *machine = &feeder->machine;
    if (machine->bring_up.on)
        return TWF_STATE_BRING_UP;
    if (twf_machine_stopped(machine))
        return TWF_STATE_STOPPED;
    if (machine->homing.going)
        return TWF_STATE_HOMING;
    if (!machine->powered)
        return TWF_STATE_OFF;
    if (!feeder->session)
        return TWF_STATE_WAITING;
    if (twf_session_holding(feeder) || !twf_events_have_room(&machine->events))
        return TWF_STATE_HOLDING;
    return machine->feeding ? TWF_STATE_FEEDING : TWF_STATE_READY;
}
