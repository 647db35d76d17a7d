package dev.sheaf.examples.demo;

import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.SheafBuilder;
import dev.sheaf.SheafException;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.examples.demo.Measurement.Meaning;
import io.lettuce.core.RedisException;
import io.lettuce.core.codec.CompressionCodec;
import io.lettuce.core.codec.CompressionCodec.CompressionType;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * All documents read at once over a link that is the bottleneck, stored as they are and compressed.
 * What counts is how many bytes travel.
 */
final class BandwidthExperiment implements Experiment {

  private static final RedisCodec<String, String> GZIP =
      CompressionCodec.valueCompressor(StringCodec.UTF8, CompressionType.GZIP);

  private final List<StoredDocument> documents;
  private final String keyPrefix;
  private final TargetServer usual;
  private final List<Storage> storages = new ArrayList<>();
  private @Nullable TargetServer link;

  BandwidthExperiment(Documents documents, TargetServer usual) {
    this.documents = documents.originals();
    this.keyPrefix = usual.keyPrefix();
    this.usual = usual;
  }

  @Override
  public String name() {
    return "bandwidth";
  }

  @Override
  public String description() {
    return "All "
        + Figures.count(documents.size())
        + " documents, read by their keys over "
        + usual.narrowLinkExplained()
        + "; the factor is that of the bytes";
  }

  @Override
  public List<?> expected() {
    return documents.stream().map(StoredDocument::json).toList();
  }

  @Override
  public TargetServer server(TargetServer otherwise) {
    return Objects.requireNonNullElse(link, otherwise);
  }

  @Override
  public void prepare(Clients clients) {
    TargetServer opened = usual.behindNarrowLink();
    link = opened;
    storages.add(
        new Storage("naive", "Sheaf, getAll(keys), not compressed", builder(opened), keyPrefix));
    storages.add(
        new Storage(
            "gzip", "the same through Lettuce's codec", builder(opened).codec(GZIP), keyPrefix));
    storages.add(
        new Storage(
            "sheaf",
            "the same with compression(defaults()), which is Snappy",
            builder(opened).compression(CompressionOptions.defaults()),
            keyPrefix));
    storages.forEach(storage -> storage.store(documents));
  }

  private static SheafBuilder<String, String> builder(TargetServer server) {
    return Sheaf.builder(server.uri());
  }

  @Override
  public void cleanUp(Clients clients) {
    try {
      storages.forEach(Storage::close);
    } finally {
      storages.clear();
      TargetServer opened = link;
      link = null;
      if (opened != null && opened != usual) {
        opened.close();
      }
    }
  }

  @Override
  public List<Way> ways(Clients clients) {
    return storages.stream().map(Storage::way).toList();
  }

  /** The documents as one client stores them. */
  private static final class Storage implements AutoCloseable {

    private final String name;
    private final String description;
    private final Sheaf<String, String> sheaf;
    private final String prefix;
    private List<String> keys = List.of();
    private @Nullable Long memoryBytes;

    /**
     * Connects.
     *
     * @throws DemoException if the server cannot be reached
     */
    Storage(
        String name, String description, SheafBuilder<String, String> builder, String keyPrefix) {
      this.name = name;
      this.description = description;
      this.prefix = keyPrefix + "bandwidth:" + name + ":";
      try {
        this.sheaf = builder.connect();
      } catch (SheafException e) {
        throw new DemoException(String.valueOf(e.getMessage()), e);
      }
    }

    void store(List<StoredDocument> documents) {
      Map<String, String> values = new LinkedHashMap<>();
      documents.forEach(document -> values.put(prefix + document.key(), document.json()));
      keys = List.copyOf(values.keySet());
      for (Result<Boolean> stored : sheaf.setAll(values, StoredKeys.TIME_TO_LIVE).values()) {
        stored.orNull();
      }
      memoryBytes = memory();
    }

    /** What the server says the keys take; null if it does not say. */
    private @Nullable Long memory() {
      List<CompletionStage<Long>> replies = new ArrayList<>();
      for (String key : keys) {
        replies.add(
            sheaf
                .async()
                .dispatch(
                    CommandType.MEMORY,
                    new IntegerOutput<>(StringCodec.UTF8),
                    new CommandArgs<>(StringCodec.UTF8).add("USAGE").addKey(key)));
      }
      long sum = 0;
      try {
        for (CompletionStage<Long> reply : replies) {
          sum += reply.toCompletableFuture().join();
        }
        return sum;
      } catch (RuntimeException refused) {
        return null;
      }
    }

    Way way() {
      return new Way(
              name,
              description
                  + (memoryBytes == null
                      ? ""
                      : "; " + Figures.bytes(memoryBytes) + " of the server's memory"),
              this::read)
          .judgedBy(Meaning.FEWER_BYTES);
    }

    private List<?> read() {
      List<@Nullable String> values = new ArrayList<>();
      sheaf.getAll(keys).values().forEach(value -> values.add(value.orNull()));
      return values;
    }

    @Override
    public void close() {
      try {
        sheaf.deleteAll(keys);
      } catch (RedisException lost) {
        // They vanish by themselves.
      } finally {
        sheaf.close();
      }
    }
  }
}
