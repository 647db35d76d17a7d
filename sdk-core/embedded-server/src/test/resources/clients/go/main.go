// Standalone and cluster, RESP2 and RESP3. Arguments: port, port of a cluster node.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/redis/go-redis/v9"
)

func check(ok bool, what string, got any) {
	if !ok {
		fmt.Println("wrong:", what, got)
		os.Exit(1)
	}
}

func work(c redis.UniversalClient) {
	ctx := context.Background()
	check(c.Set(ctx, "{a}k", "v", time.Minute).Err() == nil, "set", nil)
	check(c.Get(ctx, "{a}k").Val() == "v", "get", nil)
	c.HSet(ctx, "{a}h", "f", "1", "g", "x")
	check(len(c.HGetAll(ctx, "{a}h").Val()) == 2, "hgetall", c.HGetAll(ctx, "{a}h"))
	c.ZAdd(ctx, "{a}z", redis.Z{Score: 1.5, Member: "m"})
	check(c.ZScore(ctx, "{a}z", "m").Val() == 1.5, "zscore", nil)
	c.Del(ctx, "{a}l", "{a}s", "{a}p")
	c.RPush(ctx, "{a}l", 1, 2)
	check(c.BLPop(ctx, time.Second, "{a}l").Val()[1] == "1", "blpop", nil)
	c.XAdd(ctx, &redis.XAddArgs{Stream: "{a}s", Values: []string{"f", "v"}})
	check(len(c.XRange(ctx, "{a}s", "-", "+").Val()) == 1, "xrange", nil)
	c.PFAdd(ctx, "{a}p", "x", "y")
	check(c.PFCount(ctx, "{a}p").Val() == 2, "pfcount", nil)
	script := redis.NewScript("return redis.call('GET',KEYS[1])")
	check(script.Run(ctx, c, []string{"{a}k"}).Val() == "v", "script", nil)
	cmds, err := c.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i := 0; i < 100; i++ {
			p.Set(ctx, fmt.Sprint("p", i), i, 0)
		}
		return nil
	})
	check(err == nil && len(cmds) == 100, "pipeline", err)
	subscription := c.Subscribe(ctx, "c")
	_, err = subscription.Receive(ctx)
	check(err == nil, "subscribe", err)
	c.Publish(ctx, "c", "hello")
	message, err := subscription.ReceiveMessage(ctx)
	check(err == nil && message.Payload == "hello", "message", err)
	subscription.Close()
}

func main() {
	for protocol := 2; protocol <= 3; protocol++ {
		single := redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + os.Args[1], Protocol: protocol})
		work(single)
		single.Close()
		cluster := redis.NewClusterClient(&redis.ClusterOptions{
			Addrs: []string{"127.0.0.1:" + os.Args[2]}, Protocol: protocol})
		work(cluster)
		cluster.Close()
	}
	fmt.Println("OK", redis.Version())
}
