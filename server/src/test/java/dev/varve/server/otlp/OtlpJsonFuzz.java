package dev.varve.server.otlp;

import dev.varve.formats.protobuf.MalformedMessageException;
import dev.varve.server.FuzzIntake;
import dev.varve.server.http.WriteBudget;
import dev.varve.server.ingest.Intake;
import java.io.ByteArrayInputStream;

/** Fuzzes OTLP requests in JSON and their translation to series. */
public final class OtlpJsonFuzz {
  private OtlpJsonFuzz() {}

  /** Runs one input; called by fuzzers. */
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
