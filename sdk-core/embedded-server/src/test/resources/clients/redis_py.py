"""Standalone and cluster, RESP2 and RESP3. Arguments: port, port of a cluster node, password-less both."""

import sys

import redis
from redis.cluster import RedisCluster


def work(client, protocol):
    client.flushall()
    assert client.set("{a}k", "v", ex=100)
    assert client.get("{a}k") == b"v"
    assert 0 < client.ttl("{a}k") <= 100
    client.hset("{a}h", mapping={"f": 1, "g": "x"})
    assert client.hgetall("{a}h") == {b"f": b"1", b"g": b"x"}
    client.zadd("{a}z", {"m": 1.5, "n": 2})
    assert client.zscore("{a}z", "m") == 1.5
    client.rpush("{a}l", 1, 2, 3)
    assert client.blpop("{a}l", timeout=1) == ((b"{a}l", b"1") if protocol == 2 else [b"{a}l", b"1"])
    client.xadd("{a}s", {"f": "v"})
    assert client.xlen("{a}s") == 1
    client.pfadd("{a}p", "x", "y")
    assert client.pfcount("{a}p") == 2
    assert client.register_script("return redis.call('GET',KEYS[1])")(keys=["{a}k"]) == b"v"
    pipeline = client.pipeline()
    for i in range(100):
        pipeline.set(f"p{i}", i)
    assert all(pipeline.execute())
    assert sum(int(client.get(f"p{i}")) for i in range(100)) == 4950
    assert len(list(client.scan_iter("p*", count=50))) == 100
    try:
        client.lpush("{a}k", 1)
    except redis.ResponseError as wrong_type:
        assert "WRONGTYPE" in str(wrong_type)
    else:
        raise AssertionError("no error")


for protocol in (2, 3):
    with redis.Redis(port=int(sys.argv[1]), protocol=protocol) as single:
        work(single, protocol)
        with single.pipeline(transaction=True) as transaction:
            assert transaction.incr("n").incr("n").execute()[1] % 2 == 0
        pubsub = single.pubsub(ignore_subscribe_messages=True)
        pubsub.subscribe("c")
        pubsub.get_message(timeout=1)
        single.publish("c", "hello")
        assert pubsub.get_message(timeout=1)["data"] == b"hello"
        pubsub.close()
    with RedisCluster(host="127.0.0.1", port=int(sys.argv[2]), protocol=protocol) as cluster:
        work(cluster, protocol)
print("OK", redis.__version__)
