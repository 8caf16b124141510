#include "chains.h"

#include <string.h>

void chains_load(struct chains *chains, const uint8_t inputs[TWF_CHAIN_BYTES])
{
    memcpy(chains->loaded, inputs, TWF_CHAIN_BYTES);
    chains->next = 0;
}

uint8_t chains_shift(struct chains *chains, uint8_t byte)
{
    memmove(chains->shifted, chains->shifted + 1, TWF_OUTPUT_CHAIN_BYTES - 1);
    chains->shifted[TWF_OUTPUT_CHAIN_BYTES - 1] = byte;
    return chains->next < TWF_CHAIN_BYTES ? chains->loaded[chains->next++] : 0; /* nothing is wired to the chain's far end */
}

void chains_latch(struct chains *chains)
{
    memcpy(chains->shown, chains->shifted, TWF_OUTPUT_CHAIN_BYTES);
}

void chains_outputs(const struct chains *chains, uint8_t outputs[TWF_OUTPUT_CHAIN_BYTES])
{
    if (chains->enabled)
        memcpy(outputs, chains->shown, TWF_OUTPUT_CHAIN_BYTES);
    else
        memset(outputs, 0, TWF_OUTPUT_CHAIN_BYTES);
}
