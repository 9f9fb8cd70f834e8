package dev.varve.cli;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import dev.varve.cli.config.LogFormat;
import java.io.PrintWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages of a server to its operator on stderr. In text, its own lines begin with {@code
 * varve:} and appear beside those of the log; as JSON, everything is the log. Thread-safe.
 */
final class OperatorLines {
  private static final Logger LOG = LoggerFactory.getLogger("dev.varve.serve");

  private final LogFormat format;
  private final PrintWriter err;

  private OperatorLines(LogFormat format, PrintWriter err) {
    this.format = format;
    this.err = err;
  }

  /**
   * Switches the log of this process to a format.
   *
   * @param err where lines of text go
   */
  static OperatorLines in(LogFormat format, PrintWriter err) {
    if (format == LogFormat.JSON
        && LoggerFactory.getILoggerFactory() instanceof LoggerContext log) {
      for (ch.qos.logback.classic.Logger logger : log.getLoggerList()) {
        logger
            .iteratorForAppenders()
            .forEachRemaining(appender -> {
              if (appender instanceof ConsoleAppender<ILoggingEvent> console) {
                console.setEncoder(encoder(log));
              }
            });
      }
    }
    return new OperatorLines(format, err);
  }

  private static JsonLogEncoder encoder(LoggerContext log) {
    JsonLogEncoder encoder = new JsonLogEncoder();
    encoder.setContext(log);
    encoder.start();
    return encoder;
  }

  /** Prints one line; nothing if it is empty. */
  void say(String line) {
    if (line.isEmpty()) {
      return;
    }
    switch (format) {
      case TEXT -> {
        err.println("varve: " + line);
        err.flush();
      }
      case JSON -> LOG.info(line);
    }
  }

  /** Prints a sentence and, in text, suggestions for a person at a terminal. */
  void suggest(String sentence, String... toTry) {
    switch (format) {
      case TEXT -> {
        err.println();
        err.println(sentence);
        for (String line : toTry) {
          err.println(line);
        }
        err.flush();
      }
      case JSON -> LOG.info(sentence);
    }
  }
}
