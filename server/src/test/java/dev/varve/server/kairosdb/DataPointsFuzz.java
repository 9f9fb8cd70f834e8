package dev.varve.server.kairosdb;

import dev.varve.server.FuzzIntake;
import dev.varve.server.http.HttpError;
import java.io.ByteArrayInputStream;

/** Fuzzes the JSON of KairosDB's {@code POST /api/v1/datapoints}. */
public final class DataPointsFuzz {
  private DataPointsFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) {
    try {
      new DataPointsReader(FuzzIntake.next()).read(new ByteArrayInputStream(input));
    } catch (HttpError e) {
      if (e.status() >= 500) {
        throw e;
      }
    }
  }
}
