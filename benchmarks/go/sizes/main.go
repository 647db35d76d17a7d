// Command sizes sums the sizes of sorted sets with the Go client rueidis: ZCARD one after the other, of a tenth of
// the keys, and all in pipelines of 10,000. Arguments: the server's port and the number of keys sizes:0, sizes:1, ...
package main

import (
	"context"
	"fmt"
	"os"
	"sort"
	"strconv"
	"time"

	"github.com/redis/rueidis"
)

const (
	runs     = 5
	pipeline = 10_000
)

var ctx = context.Background()

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

// millis is the median of some runs after one that does not count.
func millis(keys int, sum func() int64) float64 {
	times := make([]float64, runs)
	for run := -1; run < runs; run++ {
		begin := time.Now()
		if found := sum(); found != int64(keys) {
			fmt.Fprintf(os.Stderr, "%d and not %d\n", found, keys)
			os.Exit(1)
		}
		if run >= 0 {
			times[run] = time.Since(begin).Seconds() * 1_000
		}
	}
	sort.Float64s(times)
	return times[runs/2]
}

func main() {
	count := must(strconv.Atoi(os.Args[2]))
	option := rueidis.ClientOption{InitAddress: []string{"127.0.0.1:" + os.Args[1]}, DisableCache: true}
	client := must(rueidis.NewClient(option))
	defer client.Close()
	keys := make([]string, count)
	for i := range keys {
		keys[i] = "sizes:" + strconv.Itoa(i)
	}
	zcard := func(key string) rueidis.Completed { return client.B().Zcard().Key(key).Build() }
	loop := millis(count/10, func() (sum int64) {
		for _, key := range keys[:count/10] {
			sum += must(client.Do(ctx, zcard(key)).AsInt64())
		}
		return
	})
	pipelined := millis(count, func() (sum int64) {
		for begin := 0; begin < count; begin += pipeline {
			commands := make(rueidis.Commands, 0, pipeline)
			for _, key := range keys[begin:min(begin+pipeline, count)] {
				commands = append(commands, zcard(key))
			}
			for _, reply := range client.DoMulti(ctx, commands...) {
				sum += must(reply.AsInt64())
			}
		}
		return
	})
	fmt.Printf("{\"client\": \"rueidis (Go)\", \"keys\": %d, \"loopMillis\": %f, \"pipelineMillis\": %f}\n", count, loop*10, pipelined)
}
