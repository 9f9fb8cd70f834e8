package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Lines of the log as text. */
class LogLinesTest {
  @Test
  void anEventIsOneLine() {
    Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    OutputStreamAppender<ILoggingEvent> stderr =
        (OutputStreamAppender<ILoggingEvent>) root.getAppender("stderr");
    for (String breaks : List.of("\n", "\r\n", "\u000b", "\u0085", "\u2028", "\u2029")) {
      LoggingEvent event =
          new LoggingEvent(
              "", root, Level.INFO, "{} is here", null, new Object[] {"a" + breaks + "b"});
      String line = new String(stderr.getEncoder().encode(event), StandardCharsets.UTF_8);
      assertThat(line).endsWith("\n").contains(" a b is here");
      assertThat(line.strip().lines()).hasSize(1);
    }
  }
}
