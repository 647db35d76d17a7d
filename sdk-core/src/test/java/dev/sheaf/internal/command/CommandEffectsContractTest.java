package dev.sheaf.internal.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What is believed of commands, against what the server says of them. */
class CommandEffectsContractTest {

  @ForEachServer
  void noWriteIsTakenForARead_norForAWriteOfOneKey(ServerUnderTest server) {
    List<String> reads = new ArrayList<>();
    List<String> singles = new ArrayList<>();
    int known = 0;
    for (CommandType type : CommandType.values()) {
      Object answer = server.command("COMMAND", "INFO", type.toString().toLowerCase(Locale.ROOT));
      if (!(answer instanceof List<?> list)
          || list.isEmpty()
          || !(list.get(0) instanceof List<?> info)
          || info.size() < 6) {
        continue;
      }
      known++;
      List<?> flags = (List<?>) info.get(2);
      CommandEffects effects = CommandEffects.of(withOneKey(type));
      if (effects == CommandEffects.NONE && flags.toString().contains("write")) {
        reads.add(type.toString());
      }
      boolean oneKey = number(info.get(3)) == 1 && number(info.get(4)) == 1;
      boolean allKeys = Set.of(CommandType.DEL, CommandType.UNLINK).contains(type);
      if (effects == CommandEffects.FIRST_ARGUMENT && !oneKey && !allKeys) {
        singles.add(type.toString());
      }
    }
    assertThat(known).as("commands that the server describes").isPositive();
    assertThat(reads).isEmpty();
    assertThat(singles).isEmpty();
  }

  private static long number(Object value) {
    return Long.parseLong(value.toString());
  }

  private static Outgoing<?, ?, ?> withOneKey(CommandType type) {
    CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8).addKey("k");
    return Outgoing.encode(new Command<>(type, new StatusOutput<>(StringCodec.UTF8), args), true);
  }
}
