package dev.varve.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import dev.varve.formats.json.Json;
import java.nio.charset.StandardCharsets;

/**
 * Writes an event of the log as one line with a JSON object: {@code time} (an instant), {@code
 * level}, {@code logger}, {@code thread}, {@code message}, and {@code error} with the stack trace
 * if there is one.
 */
final class JsonLogEncoder extends EncoderBase<ILoggingEvent> {
  private static final byte[] NOTHING = {};

  @Override
  public byte[] headerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    String line =
        Json.object(json -> {
          json.writeStringProperty("time", event.getInstant().toString());
          json.writeStringProperty("level", event.getLevel().toString());
          json.writeStringProperty("logger", event.getLoggerName());
          json.writeStringProperty("thread", event.getThreadName());
          json.writeStringProperty("message", event.getFormattedMessage());
          if (event.getThrowableProxy() != null) {
            json.writeStringProperty(
                "error", ThrowableProxyUtil.asString(event.getThrowableProxy()));
          }
        });
    return (line + "\n").getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public byte[] footerBytes() {
    return NOTHING;
  }
}
