// Command rueidis-bench is the Go client rueidis behind the protocol of the comparison: it reads an
// order a line, says "> begin" and "> end" around the measured time and waits for a line after each,
// and then says "> done" with figures or "> failed" with a reason. It ends with its input.
//
// Keys, values, the choice of keys and the checks are those of the Java clients.
package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"
)

type dataset struct {
	prefix      string
	keys, bytes int
	values      []string
}

var (
	small = newDataset("bench:", 10_000, 100)
	large = newDataset("large:", 32, 1_000_000)
	ctx   = context.Background()
	input = bufio.NewScanner(os.Stdin)
)

const (
	page            = 100
	next            = 5_021
	capacityWarmUp  = 2 * time.Second
	capacityMeasure = 2 * time.Second
	grace           = 3 * time.Second
)

func newDataset(prefix string, keys, bytes int) *dataset {
	d := &dataset{prefix: prefix, keys: keys, bytes: bytes, values: make([]string, keys)}
	for i := range d.values {
		unit := d.key(i) + ";"
		d.values[i] = strings.Repeat(unit, bytes/len(unit)+1)[:bytes]
	}
	return d
}

func (d *dataset) key(index int) string {
	return d.prefix + strconv.Itoa(100_000+index)
}

func (d *dataset) check(index int, value string) error {
	if value != d.values[index] {
		return fmt.Errorf("read another value than the one stored for %s", d.key(index))
	}
	return nil
}

// get returns an operation of one goroutine.
func (d *dataset) get(client rueidis.Client) func() error {
	return func() error {
		index := rand.IntN(d.keys)
		value, err := read(client, d.key(index))
		if err != nil {
			return err
		}
		return d.check(index, value)
	}
}

func read(client rueidis.Client, key string) (string, error) {
	return client.Do(ctx, client.B().Get().Key(key).Build()).ToString()
}

func following(value string) string {
	number, _ := strconv.Atoi(value[len(small.prefix):strings.IndexByte(value, ';')])
	return small.key((number - 100_000 + next) % small.keys)
}

// pages returns an operation that reads 100 different keys; steps is how far the values read lie
// from the keys asked for.
func pages(steps int, read func(keys []string) ([]string, error)) func() error {
	indexes := make([]int, small.keys)
	for i := range indexes {
		indexes[i] = i
	}
	return func() error {
		keys := make([]string, page)
		for i := range keys {
			other := i + rand.IntN(len(indexes)-i)
			indexes[i], indexes[other] = indexes[other], indexes[i]
			keys[i] = small.key(indexes[i])
		}
		values, err := read(keys)
		if err != nil {
			return err
		}
		for i, value := range values {
			if err := small.check((indexes[i]+steps)%small.keys, value); err != nil {
				return err
			}
		}
		return nil
	}
}

func operation(work string, client rueidis.Client) (func() error, error) {
	switch work {
	case "GET", "OPEN":
		return small.get(client), nil
	case "SET":
		return func() error {
			index := rand.IntN(small.keys)
			return client.Do(ctx, client.B().Set().Key(small.key(index)).Value(small.values[index]).Build()).Error()
		}, nil
	case "GET_LARGE":
		return large.get(client), nil
	case "GET_ALL":
		return pages(0, func(keys []string) ([]string, error) {
			found, err := rueidis.MGet(client, ctx, keys)
			if err != nil {
				return nil, err
			}
			values := make([]string, len(keys))
			for i, key := range keys {
				message := found[key]
				if values[i], err = message.ToString(); err != nil {
					return nil, err
				}
			}
			return values, nil
		}), nil
	case "GET_EACH":
		return pages(0, func(keys []string) ([]string, error) {
			commands := make(rueidis.Commands, len(keys))
			for i, key := range keys {
				commands[i] = client.B().Get().Key(key).Build()
			}
			values := make([]string, len(keys))
			for i, reply := range client.DoMulti(ctx, commands...) {
				var err error
				if values[i], err = reply.ToString(); err != nil {
					return nil, err
				}
			}
			return values, nil
		}), nil
	case "LOOP", "LOOP_OF_TWO":
		steps := 0
		if work == "LOOP_OF_TWO" {
			steps = next
		}
		return pages(steps, func(keys []string) ([]string, error) {
			values := make([]string, len(keys))
			for i, key := range keys {
				value, err := read(client, key)
				if err == nil && steps != 0 {
					value, err = read(client, following(value))
				}
				if err != nil {
					return nil, err
				}
				values[i] = value
			}
			return values, nil
		}), nil
	case "PING":
		return func() error { return client.Do(ctx, client.B().Ping().Build()).Error() }, nil
	}
	return nil, fmt.Errorf("unknown work %s", work)
}

type order struct {
	work, uri              string
	threads, percent, rate int
	warmUp, measured       time.Duration
}

func parse(line string) (order, error) {
	words := map[string]string{}
	for _, word := range strings.Fields(line) {
		name, value, _ := strings.Cut(word, "=")
		words[name] = value
	}
	numbers := map[string]int{}
	for _, name := range []string{"threads", "percent", "rate", "warmUp", "measured"} {
		number, err := strconv.Atoi(words[name])
		if err != nil {
			return order{}, fmt.Errorf("an order needs a number %s: %s", name, line)
		}
		numbers[name] = number
	}
	return order{
		work: words["work"], uri: words["uri"],
		threads: numbers["threads"], percent: numbers["percent"], rate: numbers["rate"],
		warmUp:   time.Duration(numbers["warmUp"]) * time.Millisecond,
		measured: time.Duration(numbers["measured"]) * time.Millisecond,
	}, nil
}

// pass tells the comparison to count costs, and waits until it has.
func pass(measures bool, word string) {
	if measures {
		fmt.Println("> " + word)
		input.Scan()
	}
}

type counter struct {
	done atomic.Int64
	_    [120]byte // in a cache line of its own
}

// closedLoad runs goroutines that begin an operation as soon as the last one has ended.
func closedLoad(o order, client rueidis.Client, warmUp, measured time.Duration, measures bool) (int64, time.Duration, error) {
	var ended atomic.Bool
	var failure atomic.Pointer[error]
	counters := make([]counter, o.threads)
	var running sync.WaitGroup
	for i := range counters {
		operate, err := operation(o.work, client)
		if err != nil {
			return 0, 0, err
		}
		running.Add(1)
		go func() {
			defer running.Done()
			for !ended.Load() {
				if err := operate(); err != nil {
					failure.CompareAndSwap(nil, &err)
					return
				}
				counters[i].done.Add(1)
			}
		}()
	}
	total := func() (sum int64) {
		for i := range counters {
			sum += counters[i].done.Load()
		}
		return
	}
	time.Sleep(warmUp)
	pass(measures, "begin")
	start, before := time.Now(), total()
	time.Sleep(measured)
	count, took := total()-before, time.Since(start)
	pass(measures, "end")
	ended.Store(true)
	running.Wait()
	if err := failure.Load(); err != nil {
		return 0, 0, *err
	}
	return count, took, nil
}

// alone runs whole operations of one goroutine.
func alone(o order, client rueidis.Client, measures bool) (int64, time.Duration, error) {
	operate, err := operation(o.work, client)
	if err != nil {
		return 0, 0, err
	}
	repeat := func(until time.Duration) (count int64, took time.Duration, err error) {
		for start := time.Now(); took < until; took = time.Since(start) {
			if err = operate(); err != nil {
				return
			}
			count++
		}
		return
	}
	if _, _, err = repeat(o.warmUp); err != nil {
		return 0, 0, err
	}
	pass(measures, "begin")
	count, took, err := repeat(o.measured)
	pass(measures, "end")
	return count, took, err
}

// openLoad runs operations at moments that lie at random; the time of each begins at its moment.
func openLoad(o order, client rueidis.Client, perSecond float64, measures bool) ([]time.Duration, error) {
	var from, to atomic.Int64
	from.Store(1 << 62)
	to.Store(1 << 62)
	var failure atomic.Pointer[error]
	times := make([][]time.Duration, o.threads)
	start := time.Now()
	var running sync.WaitGroup
	for i := range times {
		operate, err := operation(o.work, client)
		if err != nil {
			return nil, err
		}
		running.Add(1)
		go func() {
			defer running.Done()
			due := time.Duration(0)
			advance := func() {
				due += time.Duration(rand.ExpFloat64() * float64(time.Second) * float64(o.threads) / perSecond)
			}
			for advance(); int64(due) < to.Load(); {
				now := time.Since(start)
				if due > now {
					time.Sleep(due - now)
					continue
				}
				if int64(now)-int64(grace) < to.Load() {
					if err := operate(); err != nil {
						failure.CompareAndSwap(nil, &err)
						return
					}
				}
				if int64(due) >= from.Load() {
					times[i] = append(times[i], time.Since(start)-due)
				}
				advance()
			}
		}()
	}
	time.Sleep(o.warmUp)
	pass(measures, "begin")
	from.Store(int64(time.Since(start)))
	time.Sleep(o.measured)
	to.Store(int64(time.Since(start)))
	pass(measures, "end")
	running.Wait()
	if err := failure.Load(); err != nil {
		return nil, *err
	}
	var all []time.Duration
	for _, each := range times {
		all = append(all, each...)
	}
	sort.Slice(all, func(a, b int) bool { return all[a] < all[b] })
	if measures && len(all) == 0 {
		return nil, fmt.Errorf("no operation was due in the measured time")
	}
	return all, nil
}

// capacity is what this client does at once, measured before the first open load.
var capacity float64

// shareOfCapacity measures what the client can do at most, the first time.
func shareOfCapacity(o order, client rueidis.Client) (float64, error) {
	if capacity == 0 {
		count, took, err := closedLoad(o, client, capacityWarmUp, capacityMeasure, false)
		if err != nil {
			return 0, err
		}
		if count == 0 {
			return 0, fmt.Errorf("no operation ended while the capacity was measured")
		}
		capacity = float64(count) / took.Seconds()
	}
	return capacity * float64(o.percent) / 100, nil
}

func answer(line string) (string, error) {
	o, err := parse(line)
	if err != nil {
		return "", err
	}
	address, err := url.Parse(o.uri)
	if err != nil {
		return "", err
	}
	// Not asked to keep values in the client's memory, as nobody else's client is.
	client, err := rueidis.NewClient(rueidis.ClientOption{
		InitAddress: []string{address.Host}, DisableCache: true,
	})
	if err != nil {
		return "", err
	}
	defer client.Close()
	measures := o.measured > 0
	micros := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
	if o.work == "OPEN" {
		due := float64(o.rate)
		if o.rate == 0 {
			if due, err = shareOfCapacity(o, client); err != nil {
				return "", err
			}
		}
		times, err := openLoad(o, client, due, measures)
		if err != nil {
			return "", err
		}
		if len(times) == 0 { // a warm-up
			return "operations=0", nil
		}
		at := func(share float64) float64 { return micros(times[int(share*float64(len(times)-1))]) }
		return fmt.Sprintf("operations=%d score=%f due/s=%f p50-us=%f p90-us=%f p99-us=%f p99.9-us=%f",
			len(times), at(0.99), due, at(0.5), at(0.9), at(0.99), at(0.999)), nil
	}
	var count int64
	var took time.Duration
	if o.threads == 1 {
		count, took, err = alone(o, client, measures)
	} else {
		count, took, err = closedLoad(o, client, o.warmUp, o.measured, measures)
	}
	if err != nil {
		return "", err
	}
	score := float64(count) / took.Seconds()
	switch o.work {
	case "GET_ALL", "GET_EACH", "LOOP", "LOOP_OF_TWO":
		score = micros(took) / float64(count)
	}
	return fmt.Sprintf("operations=%d score=%f", count, score), nil
}

func main() {
	for input.Scan() {
		figures, err := answer(input.Text())
		if err != nil {
			fmt.Println("> failed " + strings.ReplaceAll(err.Error(), "\n", " "))
		} else {
			fmt.Println("> done " + figures)
		}
	}
}
