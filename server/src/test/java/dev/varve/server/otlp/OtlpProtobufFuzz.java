package dev.varve.server.otlp;

import dev.varve.formats.protobuf.MalformedMessageException;
import dev.varve.server.FuzzIntake;
import dev.varve.server.ingest.Intake;
import java.io.ByteArrayInputStream;
import java.io.IOException;

/** Fuzzes OTLP requests in Protocol Buffers and their translation to series. */
public final class OtlpProtobufFuzz {
  private OtlpProtobufFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    Intake intake = FuzzIntake.next();
    Translation translation = translation(intake);
    try {
      new OtlpProtobuf(translation, FuzzIntake.memory()).read(new ByteArrayInputStream(input));
    } catch (MalformedMessageException e) {
      ensureReason(e);
    }
    end(translation, intake);
  }

  static Translation translation(Intake intake) {
    return new Translation(intake, "main", true, new CumulativeSums(100, 1 << 20));
  }

  static void ensureReason(MalformedMessageException refusal) {
    if (refusal.getMessage() == null || refusal.getMessage().isEmpty()) {
      throw new AssertionError("refused without a reason", refusal);
    }
  }

  static void end(Translation translation, Intake intake) {
    translation.write();
    if (translation.refused() > 0
        && translation.reasons().isEmpty()
        && intake.rejections().isEmpty()) {
      throw new AssertionError(translation.refused() + " points are refused without a reason");
    }
  }
}
