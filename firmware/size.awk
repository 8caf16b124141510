# Reads `avr-size -A`, prints what the firmware takes of flash and RAM, and fails over the budgets `flash` and `ram`. Of the RAM
# `stack` bytes are kept for the stack.
$1 == ".text" { text = $2 }
$1 == ".data" { data = $2 }
$1 == ".bss" { bss = $2 }
$1 == ".noinit" { noinit = $2 }
END {
    used_flash = text + data
    used_ram = data + bss + noinit
    printf "flash %d of %d bytes, RAM %d and %d for the stack of %d bytes\n", used_flash, flash, used_ram, stack, ram
    if (used_flash > flash || used_ram + stack > ram) {
        print "the firmware is over its budget" >"/dev/stderr"
        exit 1
    }
}
