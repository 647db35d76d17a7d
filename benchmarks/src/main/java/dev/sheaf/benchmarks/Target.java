package dev.sheaf.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What Sheaf is meant to reach, and who else is asked. The only place where that is said: what
 * {@code compare --targets} measures and the table in the results both come from here.
 *
 * @param work what is done, in words
 * @param question the name of the question
 * @param own how Sheaf does it
 * @param reference what it is compared with, or null if its time counts by itself
 * @param wanted how many times as fast as the reference it should be; without a reference, how many
 *     microseconds it may take
 * @param beside others that the table names, for they do the same
 */
record Target(
    String work,
    String question,
    Contender own,
    @Nullable Contender reference,
    double wanted,
    List<Contender> beside) {

  private static final Contender SHEAF = new Contender(Client.SHEAF, null);
  private static final Contender LETTUCE = new Contender(Client.LETTUCE, null);
  private static final Contender GET_ALL = new Contender(Client.SHEAF, Way.MANY_KEY_CALL);
  private static final Contender FUTURES = new Contender(Client.SHEAF, Way.FUTURES);

  /** What Sheaf aims at. */
  static final List<Target> ALL =
      List.of(
          fasterThanLettuce("1 blocking thread", "blocking-standalone-1", 0.98, Client.JEDIS),
          fasterThanLettuce("2 blocking threads", "blocking-standalone-2", 0.98),
          fasterThanLettuce("8 blocking threads", "blocking-standalone-8", 0.98),
          fasterThanLettuce(
              "64 blocking threads",
              "blocking-standalone-64",
              2.7,
              Client.JEDIS,
              Client.REDISSON,
              Client.GLIDE,
              Client.SPRING_DATA_REDIS),
          fasterThanLettuce("256 blocking threads", "blocking-standalone-256", 4),
          fasterThanLettuce("64 virtual threads", "virtual-64", 4, Client.GLIDE),
          fasterThanLettuce("1,000 virtual threads", "virtual-1000", 4, Client.GLIDE),
          fasterThanLettuce(
              "64 blocking threads, cluster", "blocking-cluster-64", 3.3, Client.JEDIS),
          new Target(
              "`getAll` of 100 keys",
              "many-keys-standalone",
              GET_ALL,
              new Contender(Client.JEDIS, Way.MANY_KEY_CALL),
              1,
              manyKeyCalls(
                  Client.LETTUCE, Client.REDISSON, Client.GLIDE, Client.SPRING_DATA_REDIS)),
          new Target(
              "100 futures joined",
              "many-keys-standalone",
              FUTURES,
              new Contender(Client.JEDIS, Way.PIPELINE),
              1,
              List.of(
                  new Contender(Client.LETTUCE, Way.FUTURES),
                  new Contender(Client.REDISSON, Way.FUTURES),
                  new Contender(Client.GLIDE, Way.FUTURES),
                  new Contender(Client.SPRING_DATA_REDIS, Way.PIPELINE))),
          new Target(
              "`getAll` of 100 keys in all slots, cluster",
              "many-keys-cluster",
              GET_ALL,
              null,
              150,
              Stream.concat(
                      Stream.of(new Contender(Client.JEDIS, Way.PIPELINE)),
                      manyKeyCalls(
                          Client.LETTUCE, Client.REDISSON, Client.GLIDE, Client.SPRING_DATA_REDIS)
                          .stream())
                  .toList()),
          new Target(
              "100 futures joined, 1.2 ms away",
              "distant-keys-1200us",
              FUTURES,
              null,
              1_300,
              List.of(
                  new Contender(Client.JEDIS, Way.PIPELINE),
                  new Contender(Client.LETTUCE, Way.FUTURES))),
          fasterThanLettuce(
              "64 blocking threads, 1.2 ms away", "distant-blocking-64", 1.15, Client.JEDIS),
          new Target(
              "loop of 100 over `loop(keys)`",
              "many-keys-standalone",
              new Contender(Client.SHEAF, Way.READ_AHEAD),
              GET_ALL,
              1 / 1.2,
              List.of(new Contender(Client.LETTUCE, Way.LOOP))),
          new Target(
              "loop of 100 over `loop(keys)`, 1 ms away",
              "distant-keys-1000us",
              new Contender(Client.SHEAF, Way.READ_AHEAD),
              new Contender(Client.LETTUCE, Way.LOOP),
              50,
              List.of(GET_ALL)),
          new Target(
              "`mapEach`, 100 times two dependent GETs, 1 ms away",
              "dependent-1000us",
              new Contender(Client.SHEAF, Way.SIDE_BY_SIDE),
              null,
              3_500,
              List.of(new Contender(Client.LETTUCE, Way.LOOP), FUTURES)),
          new Target(
              "the same, bodies on virtual threads",
              "virtual-dependent-1000us",
              new Contender(Client.SHEAF, Way.SIDE_BY_SIDE),
              null,
              3_500,
              List.of(new Contender(Client.LETTUCE, Way.LOOP))));

  private static Target fasterThanLettuce(
      String work, String question, double wanted, Client... beside) {
    return new Target(
        work,
        question,
        SHEAF,
        LETTUCE,
        wanted,
        Stream.of(beside).map(client -> new Contender(client, null)).toList());
  }

  private static List<Contender> manyKeyCalls(Client... clients) {
    return Stream.of(clients).map(client -> new Contender(client, Way.MANY_KEY_CALL)).toList();
  }

  /** Whose figures the target is about. */
  List<Contender> names() {
    List<Contender> names = new ArrayList<>(List.of(own));
    if (reference != null) {
      names.add(reference);
    }
    names.addAll(beside);
    return names;
  }
}
