package dev.varve.server.otlp;

import dev.varve.server.FuzzIntake;
import dev.varve.server.http.WriteBudget;
import dev.varve.server.ingest.Intake;
import dev.varve.server.protobuf.MalformedMessageException;
import java.io.ByteArrayInputStream;

/** Fuzzed: OTLP's requests in JSON, and what series they come to. */
public final class OtlpJsonFuzz {
  private OtlpJsonFuzz() {}

  /** Takes one input, as fuzzers call it. */
  public static void fuzzerTestOneInput(byte[] input) {
    Intake intake = FuzzIntake.next();
    Translation translation = OtlpProtobufFuzz.translation(intake);
    try {
      new OtlpJson(translation, WriteBudget.unlimited()).read(new ByteArrayInputStream(input));
    } catch (MalformedMessageException e) {
      OtlpProtobufFuzz.ensureReason(e);
    }
    OtlpProtobufFuzz.end(translation, intake);
  }
}
