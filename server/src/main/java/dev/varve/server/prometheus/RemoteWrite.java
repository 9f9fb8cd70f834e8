package dev.varve.server.prometheus;

import dev.varve.engine.Dataset;
import dev.varve.engine.request.WriteResult.Rejection;
import dev.varve.formats.protobuf.MalformedMessageException;
import dev.varve.model.HeapShares;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import dev.varve.server.ingest.Intake;
import dev.varve.server.ingest.KnownKeys;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /api/v1/write}: Prometheus' remote write, <a
 * href="https://prometheus.io/docs/specs/prw/remote_write_spec/">1.0</a> and <a
 * href="https://prometheus.io/docs/specs/prw/remote_write_spec_2_0/">2.0</a>.
 *
 * <p>Valid samples are written. If others were rejected, the answer is 400, which senders do not
 * retry, with the first reasons. Headers report how much was written, including samples left out on
 * purpose.
 */
final class RemoteWrite {
  private static final String V2 = "io.prometheus.write.v2.Request";
  private static final int REASONS_SHOWN = 5;

  private final DialectContext context;
  private final MessageBuffers buffers =
      new MessageBuffers(HeapShares.OF_THIS_PROCESS.smallCache());
  private final KnownKeys known = new KnownKeys(HeapShares.OF_THIS_PROCESS.knownKeys());

  RemoteWrite(DialectContext context) {
    this.context = context;
  }

  void write(Exchange exchange) throws IOException {
    boolean second = isSecond(exchange.header("Content-Type"));
    Dataset dataset = context.dataset(exchange);
    Intake intake = context.intake(exchange, dataset, Prometheus.NAME);
    RemoteWriteIntake into = new RemoteWriteIntake(intake, known, dataset.holdsStaleMarkers());
    try {
      SnappyBlock.Content message = SnappyBody.read(exchange, "remote write", buffers);
      read(message, second, into, intake);
      buffers.giveBack(message.bytes());
    } finally {
      into.release();
      // A store may fail after earlier batches were written.
      tellWritten(exchange, intake, into);
    }
    long refused = intake.refused() + into.refused();
    if (refused == 0) {
      exchange.answer(204);
    } else {
      exchange.answer(400, "text/plain; charset=utf-8", reasons(refused, intake, into));
    }
  }

  private void read(
      SnappyBlock.Content message, boolean second, RemoteWriteIntake into, Intake intake) {
    try {
      if (second) {
        new RemoteWrite2Reader(intake.memory(), into).read(message.bytes(), message.length());
      } else {
        new RemoteWrite1Reader(intake, known, into).read(message.bytes(), message.length());
      }
    } catch (MalformedMessageException e) {
      into.write();
      intake.report(Intake.SYNTAX, 1, () -> "the body is not a write request: " + e.getMessage());
      throw HttpError.badRequest("the body is not a write request: " + e.getMessage());
    }
  }

  /**
   * Reports how much was written. Samples left out on purpose count as written: a sender takes an
   * answer without any written samples to mean that its request was not understood.
   */
  private static void tellWritten(Exchange exchange, Intake intake, RemoteWriteIntake into) {
    long samples = intake.accepted() + intake.dropped() + into.markersLeftOut();
    exchange.header("X-Prometheus-Remote-Write-Samples-Written", Long.toString(samples));
    exchange.header("X-Prometheus-Remote-Write-Histograms-Written", "0");
    exchange.header("X-Prometheus-Remote-Write-Exemplars-Written", Long.toString(into.exemplars()));
  }

  private static boolean isSecond(@Nullable String type) {
    if (type == null) {
      return false;
    }
    String[] parts = type.toLowerCase(Locale.ROOT).split(";", -1);
    if (!parts[0].strip().equals("application/x-protobuf")) {
      throw new HttpError(
          415, "remote write is application/x-protobuf in snappy, not '" + parts[0].strip() + "'");
    }
    for (int i = 1; i < parts.length; i++) {
      String[] pair = parts[i].strip().split("=", 2);
      if (pair[0].strip().equals("proto") && pair.length == 2) {
        String proto = pair[1].strip().replace("\"", "");
        if (proto.equalsIgnoreCase(V2)) {
          return true;
        }
        if (!proto.equalsIgnoreCase("prometheus.WriteRequest")) {
          throw new HttpError(
              415, "messages are prometheus.WriteRequest or " + V2 + ", not '" + proto + "'");
        }
      }
    }
    return false;
  }

  private static String reasons(long refused, Intake intake, RemoteWriteIntake into) {
    StringBuilder text = new StringBuilder();
    text.append(refused).append(" samples were refused, the others are written");
    int shown = 0;
    for (Rejection rejection : intake.rejections()) {
      if (shown++ < REASONS_SHOWN) {
        text.append("; ").append(rejection.key()).append(": ");
        text.append(rejection.refusal().message());
      }
    }
    for (String reason : into.reasons()) {
      if (shown++ < REASONS_SHOWN) {
        text.append("; ").append(reason);
      }
    }
    return text.append('\n').toString();
  }
}
