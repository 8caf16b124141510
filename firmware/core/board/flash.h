/* Constant tables that stay in flash where data and code have separate addresses (AVR). */
#ifndef TWF_FLASH_H
#define TWF_FLASH_H

#include <stdint.h>

#if defined(__AVR__)
#include <avr/pgmspace.h>
#define TWF_FLASH PROGMEM
#define TWF_FLASH_U32(at) pgm_read_dword(at)
#define TWF_FLASH_U16(at) pgm_read_word(at)
#else
#define TWF_FLASH
#define TWF_FLASH_U32(at) (*(at))
#define TWF_FLASH_U16(at) (*(at))
#endif

#endif
