/* The machine's firmware: from the reset vector to 64-bit code with AVX-512 switched on, the program read from the first disk.
   Sector 0 of the disk says how many follow; they go to 0x100000, where the program begins. Page tables are at 0x1000. */
    .equ FIRMWARE, 0xf0000
    .equ PROGRAM, 0x100000

    .code16
    .text
    .globl start
start:
    cli
    movw $(FIRMWARE >> 4), %ax
    movw %ax, %ds
    lgdtl descriptors_size
    movl %cr0, %eax
    andl $0x9fffffff, %eax              /* caches */
    orl $1, %eax                        /* protected mode */
    movl %eax, %cr0
    ljmpl $8, $(FIRMWARE + protected)

    .code32
protected:
    movw $16, %ax
    movw %ax, %ds
    movw %ax, %es
    movw %ax, %ss
    movl $0x2003, 0x1000                /* one table, of which one page of 1 GB is present and may be written */
    movl $0x83, 0x2000
    movl %cr4, %eax
    orl $0x40620, %eax                  /* PAE, SSE, its exceptions, XSAVE */
    movl %eax, %cr4
    movl $0x1000, %eax
    movl %eax, %cr3
    movl $0xc0000080, %ecx
    rdmsr
    orl $0x100, %eax                    /* long mode */
    wrmsr
    movl %cr0, %eax
    andl $0xfffffffb, %eax
    orl $0x80000002, %eax               /* paging; a floating-point unit */
    movl %eax, %cr0
    ljmpl $24, $(FIRMWARE + long_mode)

    .code64
long_mode:
    xorl %ecx, %ecx
    xorl %edx, %edx
    movl $0xe7, %eax                    /* the state of SSE, AVX and AVX-512 */
    xsetbv
    movl $0x90000, %esp
    movl $0x80000, %edi
    xorl %ebx, %ebx
    call read_sector
    movl 0x80000, %ebp
    movl $PROGRAM, %edi
1:  incl %ebx
    call read_sector
    cmpl %ebp, %ebx
    jb 1b
    movl $0x1f80, 0x80000
    ldmxcsr 0x80000
    movl $0x1ffffff0, %esp              /* the end of memory */
    movl $PROGRAM, %eax
    call *%rax

/* Sector %ebx to %rdi, which moves on. */
read_sector:
    movw $0x1f7, %dx
1:  inb %dx, %al
    testb $0x80, %al
    jnz 1b
    movl %ebx, %eax
    shrl $24, %eax
    orb $0xe0, %al
    movw $0x1f6, %dx
    outb %al, %dx
    movb $1, %al
    movw $0x1f2, %dx
    outb %al, %dx
    movl %ebx, %eax
    incw %dx
    outb %al, %dx
    shrl $8, %eax
    incw %dx
    outb %al, %dx
    shrl $8, %eax
    incw %dx
    outb %al, %dx
    movb $0x20, %al                     /* read */
    movw $0x1f7, %dx
    outb %al, %dx
2:  inb %dx, %al
    andb $0x88, %al
    cmpb $8, %al                        /* not busy, data there */
    jne 2b
    movw $0x1f0, %dx
    movl $256, %ecx
    rep insw
    ret

    .balign 8
descriptors:
    .quad 0
    .quad 0x00cf9a000000ffff            /* 8: 32-bit code */
    .quad 0x00cf92000000ffff            /* 16: data */
    .quad 0x00af9a000000ffff            /* 24: 64-bit code */
descriptors_size:
    .word 31
    .long FIRMWARE + descriptors

    .org 0xfff0
    .code16
    ljmp $(FIRMWARE >> 4), $start
    .org 0x10000
