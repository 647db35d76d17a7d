// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.internal.command.CommandTraits;
import dev.sheaf.internal.command.RespRequest;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where values are in requests and replies, by the table of commands. */
class CommandRuleTest {

  @Test
  void commandOfTheApplicationsOwnType_isKnownByItsName() {
    ProtocolKeyword own =
        new ProtocolKeyword() {
          @Override
          public byte[] getBytes() {
            return "hset".getBytes(StandardCharsets.US_ASCII);
          }
        };
    assertThat(CommandRule.of(own)).isSameAs(CommandRule.of(CommandType.HSET));
  }

  @Test
  void valuesAreFoundAmongTheArguments() {
    assertThat(values("SET k V EX 10 GET")).containsExactly("V");
    assertThat(values("SET k V IFEQ C GET")).containsExactly("V", "=C");
    assertThat(values("SET k V ifne C")).containsExactly("V", "=C");
    assertThat(values("SETEX k 10 V")).containsExactly("V");
    assertThat(values("PSETEX k 10 V")).containsExactly("V");
    assertThat(values("SETNX k V")).containsExactly("V");
    assertThat(values("GETSET k V")).containsExactly("V");
    assertThat(values("MSET k V k2 V2")).containsExactly("V", "V2@k2");
    assertThat(values("MSETNX k V k2 V2")).containsExactly("V", "V2@k2");
    assertThat(values("MSETEX 2 k V k2 V2 EX 10")).containsExactly("V", "V2@k2");
    assertThat(values("DELEX k IFEQ C")).containsExactly("=C");
    assertThat(values("HSET k f V f2 V2")).containsExactly("V", "V2");
    assertThat(values("HMSET k f V f2 V2")).containsExactly("V", "V2");
    assertThat(values("HSETNX k f V")).containsExactly("V");
    assertThat(values("HSETEX k FNX EX 10 FIELDS 2 f V f2 V2")).containsExactly("V", "V2");
    assertThat(values("HIMPORT SET k set V V2")).containsExactly("V", "V2");
    assertThat(values("HIMPORT PREPARE set 2 f f2")).isEmpty();
    assertThat(values("LPUSH k V V2")).containsExactly("V", "V2");
    assertThat(values("RPUSHX k V")).containsExactly("V");
    assertThat(values("LSET k 0 V")).containsExactly("V");
    assertThat(values("LINSERT k BEFORE C V")).containsExactly("=C", "V");
    assertThat(values("LREM k 0 C")).containsExactly("=C");
    assertThat(values("LPOS k C RANK 1")).containsExactly("=C");
    assertThat(values("XADD k * f V f2 V2")).containsExactly("V", "V2");
    assertThat(values("XADD k NOMKSTREAM MAXLEN ~ 10 LIMIT 5 1-1 f V")).containsExactly("V");
    assertThat(values("XADD k KEEPREF MINID 10 * f V")).containsExactly("V");
    assertThat(values("INCRBY k 5")).isEmpty();
    assertThat(values("SADD k m")).isEmpty();
    assertThat(values("EVAL s 1 k a")).isEmpty();
    assertThat(values("PUBLISH c m")).isEmpty();
  }

  @Test
  void valuesAreFoundInReplies() {
    assertThat(reply("GET k", "+OK")).isEmpty();
    assertThat(reply("MGET k k", "*2 V nil")).containsExactly("V");
    assertThat(reply("HGETALL k", "*4 f V f V2")).containsExactly("V", "V2");
    assertThat(reply("HRANDFIELD k 2", "*2 f f")).isEmpty();
    assertThat(reply("HRANDFIELD k 2 WITHVALUES", "*4 f V f V2")).containsExactly("V", "V2");
    assertThat(reply("HRANDFIELD k 2 WITHVALUES", "*2 *2 f V *2 f V2")).containsExactly("V", "V2");
    assertThat(reply("HSCAN k 0", "*2 0 *4 f V f V2")).containsExactly("V", "V2");
    assertThat(reply("HSCAN k 0 NOVALUES", "*2 0 *2 f f")).isEmpty();
    assertThat(reply("HSCAN k 0 MATCH NOVALUES", "*2 0 *2 f V")).containsExactly("V");
    assertThat(reply("BLPOP k 0", "*2 k V")).containsExactly("V");
    assertThat(reply("LMPOP 1 k LEFT", "*2 k *2 V V2")).containsExactly("V", "V2");
    assertThat(reply("XRANGE k - +", "*2 *2 1-1 *4 f V f V2 *2 1-2 *2 f V3"))
        .containsExactly("V", "V2", "V3");
    assertThat(reply("XREAD STREAMS k 0", "*1 *2 k *1 *2 1-1 *2 f V")).containsExactly("V");
    assertThat(
            reply(
                "XREAD STREAMS k 0",
                "*2 *2 k *2 *2 1-1 *2 f V *2 1-2 *2 f V2 *2 k2 *1 *2 1-1 *2 f V3"))
        .containsExactly("V", "V2", "V3");
    assertThat(reply("XREAD STREAMS k 0", "*2 k *2 *2 1-1 *2 f V *2 1-2 *2 f V2"))
        .containsExactly("V", "V2");
    assertThat(reply("XAUTOCLAIM k g c 0 0", "*3 0-0 *2 *2 1-1 *2 f V *2 1-2 *2 f V2 *1 1-3"))
        .containsExactly("V", "V2");
    assertThat(reply("XCLAIM k g c 0 1-1", "*2 nil *2 1-1 *2 f V")).containsExactly("V");
    assertThat(reply("XREADGROUP STREAMS k 0", "*1 *2 k *2 *2 1-1 nil *2 1-2 *2 f V"))
        .containsExactly("V");
    assertThat(
            reply(
                "XREADGROUP CLAIM 0 STREAMS k >",
                "*1 *2 k *2 *4 1-1 *2 f V +5 +1 *4 1-2 *4 f V2 f V3 +5 +1"))
        .containsExactly("V", "V2", "V3");
    assertThat(reply("XRANGE k - +", "*1 *2 1-1 *0")).isEmpty();
    assertThat(reply("SMEMBERS k", "*2 m m")).isEmpty();
    assertThat(reply("EVAL s 0", "v")).isEmpty();
  }

  private static List<String> values(String command) {
    RespRequest request = new RespRequest(encoded(command));
    List<String> values = new ArrayList<>();
    CommandRule.of(CommandTraits.named(request.name()))
        .arguments()
        .visit(
            request,
            new ArgumentShape.Visitor() {
              @Override
              public void value(int index, int keyIndex) {
                values.add(text(index) + (text(keyIndex).equals("k") ? "" : "@" + text(keyIndex)));
              }

              @Override
              public void compared(int index, int keyIndex) {
                values.add("=" + text(index));
              }

              private String text(int index) {
                byte[] bytes =
                    Arrays.copyOfRange(request.bytes(), request.start(index), request.end(index));
                return new String(bytes, StandardCharsets.UTF_8);
              }
            });
    return values;
  }

  /** The bulk strings at the places of values, of a reply in a notation of its own. */
  private static List<String> reply(String command, String reply) {
    byte[] request = encoded(command);
    ReplyShape shape = CommandRule.of(CommandTraits.named(command.split(" ")[0])).replyTo(request);
    ReplyPosition position = new ReplyPosition(shape);
    List<String> values = new ArrayList<>();
    for (String part : reply.split(" ")) {
      if (part.startsWith("*")) {
        position.open();
      } else if (part.startsWith("+")) {
        position.other();
      } else if (position.bulk() && !part.equals("nil")) {
        values.add(part);
      }
    }
    return values;
  }

  private static byte[] encoded(String command) {
    StringBuilder request = new StringBuilder();
    String[] parts = command.split(" ");
    request.append('*').append(parts.length).append("\r\n");
    for (String part : parts) {
      request.append('$').append(part.length()).append("\r\n").append(part).append("\r\n");
    }
    return request.toString().getBytes(StandardCharsets.UTF_8);
  }
}
