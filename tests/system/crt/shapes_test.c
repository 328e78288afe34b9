/* Prints how `shapes.c` takes an extent apart: `begin count size` of each part. Arguments: the extent, then sizes and cycles. */
#include "shapes.c"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int64_t sizes[8], cycles[8];
  const int32_t count = (argc - 2) / 2;
  const int64_t extent = atoll(argv[1]);
  for (int32_t i = 0; i < count; i++) {
    sizes[i] = atoll(argv[2 + i]);
    cycles[i] = atoll(argv[2 + count + i]);
  }
  const struct ingot_dim dim = {"N", "N", 0, extent, 1, NULL, 0, 1, 0, sizes, cycles, count, 0, NULL};
  for (int64_t begin = 0; begin < extent;) {
    const struct ingot_part part = part_from(&dim, extent, begin);
    printf("%lld %lld %lld\n", (long long)part.begin, (long long)part.count, (long long)sizes[part.number]);
    begin += part.count;
  }
  return 0;
}
