/* Continues a text of tokens with a language model: the same tokens as `ingot.generate` gives for the same seed.
 *
 *     chat [-n tokens] [-t temperature] [-k top_k] [-p top_p] [-s seed] [-e stop] id…
 *
 * Ids come as arguments and go to the standard output, one a line, each as soon as it is known. `chat.h` and the library are those of
 * `ingot build model.onnx --name chat --dim seq=1,16,128 --dim capacity=2048 --state 'past_key_values.*=present.*' -o chat.so`.
 */
#define _POSIX_C_SOURCE 200809L
#include "chat.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { VOCABULARY = CHAT_OUTPUT_LOGITS_ELEMENTS };
static const int64_t sizes[CHAT_SIZE_COUNT_SEQ] = CHAT_SIZES_SEQ;
static const int64_t cache_shape[] = CHAT_STATE_PAST_KEY_VALUES_0_KEY_SHAPE; /* 1, heads, capacity, head size */
static float logits[VOCABULARY];
static int32_t order[VOCABULARY];
static double sums[VOCABULARY];
static void *state, *workspace;

static void require(int is_good, const char *problem)
{
    if (!is_good) {
        fprintf(stderr, "chat: %s\n", problem);
        exit(2);
    }
}

/* How many tokens the next run takes of `count`: as many as a program takes, or padding too, where steps (2 each) cost more. */
static int64_t piece_size(int64_t count, int64_t room)
{
    int64_t exact = 0, padded = 0;
    for (int i = 0; i < CHAT_SIZE_COUNT_SEQ; i++) {
        if (sizes[i] <= count && sizes[i] > exact) {
            exact = sizes[i];
        }
        if (sizes[i] > count && sizes[i] <= room && (padded == 0 || sizes[i] < padded)) {
            padded = sizes[i];
        }
    }
    if (exact == count || exact > 1) {
        return exact;
    }
    return padded > 0 && (exact == 0 || padded < 2 * count) ? padded : exact;
}

/* Lets the model read `count` tokens behind `past` ones; the logits after the last one are in `logits` then. */
static void read_tokens(const int64_t *ids, int64_t count, int64_t past)
{
    static int64_t piece[CHAT_HIGH_SEQ];
    require(past + count <= cache_shape[2], "the cache is full; build the library with a greater capacity");
    while (count > 0) {
        const int64_t size = piece_size(count, cache_shape[2] - past), valid = size < count ? size : count, last = valid - 1;
        const int64_t dims[CHAT_DIMS] = {size};
        const struct chat_inputs inputs = {piece, &past, &last};
        const struct chat_outputs outputs = {logits};
        require(size > 0, "the library takes no single tokens; build it for 1 too");
        for (int64_t i = 0; i < size; i++) {
            piece[i] = ids[i < valid ? i : last];
        }
        const int32_t status = chat_run_shaped(dims, &inputs, &outputs, state, workspace);
        require(status == CHAT_OK, chat_strerror(status));
        ids += valid, count -= valid, past += valid;
    }
}

/* From 0 to below 1: SplitMix64. */
static double uniform(uint64_t *seed)
{
    uint64_t mixed = *seed += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return (double)((mixed ^ mixed >> 31) >> 11) * 0x1p-53;
}

static int by_logit(const void *left, const void *right)
{
    const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return logits[a] != logits[b] ? (logits[a] < logits[b] ? 1 : -1) : (a > b) - (a < b);
}

static int64_t choose(double temperature, int top_k, double top_p, uint64_t *seed)
{
    int32_t best = 0, count = VOCABULARY, at = 0;
    for (int32_t i = 0; i < VOCABULARY; i++) {
        order[i] = i;
        best = logits[i] > logits[best] ? i : best;
    }
    if (temperature == 0) {
        return best;
    }
    if (top_k > 0 || top_p < 1) {
        qsort(order, VOCABULARY, sizeof order[0], by_logit);
        count = top_k > 0 && top_k < VOCABULARY ? top_k : VOCABULARY;
    }
    double sum = 0;
    for (int32_t i = 0; i < count; i++) {
        sums[i] = sum += exp(((double)logits[order[i]] - (double)logits[best]) / temperature);
    }
    for (int32_t i = 0; top_p < 1 && i < count; i++) {
        if (sums[i] >= top_p * sum) {
            count = i + 1;
        }
    }
    const double chosen = uniform(seed) * sums[count - 1];
    while (at < count - 1 && sums[at] <= chosen) {
        at++;
    }
    return order[at];
}

int main(int argc, char **argv)
{
    long tokens = 100, top_k = 0, stop = -1;
    double temperature = 0, top_p = 1;
    uint64_t seed = 0;
    for (int letter; (letter = getopt(argc, argv, "n:t:k:p:s:e:")) != -1;) {
        switch (letter) {
        case 'n': tokens = strtol(optarg, NULL, 10); break;
        case 't': temperature = strtod(optarg, NULL); break;
        case 'k': top_k = strtol(optarg, NULL, 10); break;
        case 'p': top_p = strtod(optarg, NULL); break;
        case 's': seed = strtoull(optarg, NULL, 10); break;
        case 'e': stop = strtol(optarg, NULL, 10); break;
        default: return 2;
        }
    }
    int64_t past = argc - optind, token = -1;
    require(past > 0 && temperature >= 0 && top_p > 0, "expected ids of tokens, a temperature from 0 on, and top_p above 0");
    int64_t *const ids = calloc((size_t)past, sizeof *ids);
    state = aligned_alloc(CHAT_STATE_ALIGNMENT, CHAT_STATE_BYTES);
    workspace = aligned_alloc(CHAT_SHAPED_WORKSPACE_ALIGNMENT, CHAT_SHAPED_WORKSPACE_BYTES + CHAT_SHAPED_WORKSPACE_ALIGNMENT);
    require(ids != NULL && workspace != NULL && chat_init_state(state) == CHAT_OK, "there is not enough memory");
    for (int64_t i = 0; i < past; i++) {
        ids[i] = strtoll(argv[optind + i], NULL, 10);
    }
    read_tokens(ids, past, 0);
    for (long i = 0; i < tokens && (i == 0 || token != stop); i++) {
        if (i > 0) {
            read_tokens(&token, 1, past++);
        }
        token = choose(temperature, (int)top_k, top_p, &seed);
        printf("%lld\n", (long long)token);
        fflush(stdout);
    }
    free(ids), free(state), free(workspace);
    return 0;
}
