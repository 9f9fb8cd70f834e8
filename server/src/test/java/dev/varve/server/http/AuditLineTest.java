package dev.varve.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Lines of the audit log, of which clients choose most values. */
class AuditLineTest {
  private static Exchange exchange(String user, String body) throws IOException {
    FuzzExchange exchange =
        new FuzzExchange(body.getBytes(StandardCharsets.UTF_8), Map.of(), Map.of());
    exchange.caller(Caller.withAllRights(user));
    exchange.wholeBody();
    return exchange;
  }

  @Test
  void plainValuesAreAsTheyAre() throws IOException {
    assertThat(AuditLine.of(exchange("ada", "match[]=up&end=5")))
        .isEqualTo("user=ada client=\"\" method=POST path=/fuzz body=match[]=up&end=5 status=200");
  }

  @Test
  void aNameDoesNotForgeALine() throws IOException {
    String name = "x\\n2026-11-27 INFO varve.audit user=admin status=200".translateEscapes();
    assertThat(AuditLine.of(exchange(name, "")))
        .startsWith("user=\"x\\u000a2026-11-27 INFO varve.audit user=admin status=200\" client=");
  }

  @Test
  void longValuesAreCut() throws IOException {
    assertThat(AuditLine.of(exchange("ada", "x".repeat(3_000))))
        .hasSizeLessThan(2_200)
        .contains("x... status=200");
  }

  @Property
  void isOneLineWhateverIsSent(@ForAll String user, @ForAll String body) throws IOException {
    String line = AuditLine.of(exchange(user, body));
    assertThat(line).matches("\\p{ASCII}+").matches(".*");
    assertThat(line.chars()).allMatch(unit -> unit >= ' ' && unit < 0x7f);
    List<String> outside = List.of(line.replaceAll("\"(\\\\.|[^\"\\\\])*\"", "").split(" "));
    assertThat(outside).filteredOn(part -> part.startsWith("status=")).hasSize(1);
  }
}
