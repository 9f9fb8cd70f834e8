package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class JsonLogEncoderTest {
  @Test
  void anEventIsOneLineWhateverItsTextHolds() {
    Logger logger = (Logger) LoggerFactory.getLogger("dev.varve.Some");
    LoggingEvent event =
        new LoggingEvent(
            "x",
            logger,
            Level.WARN,
            "refused: {}",
            new IllegalStateException("a\nb"),
            new Object[] {"\"quoted\"\nnext"});
    String line = new String(new JsonLogEncoder().encode(event), StandardCharsets.UTF_8);
    assertThat(line).endsWith("}\n").startsWith("{\"time\":\"20");
    assertThat(line.strip()).doesNotContain("\n");
    assertThat(line)
        .contains("\"level\":\"WARN\",\"logger\":\"dev.varve.Some\"")
        .contains("\"message\":\"refused: \\\"quoted\\\"\\nnext\"")
        .contains("\"error\":\"java.lang.IllegalStateException: a\\nb");
  }
}
