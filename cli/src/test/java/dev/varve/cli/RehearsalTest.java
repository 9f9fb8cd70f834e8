package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class RehearsalTest {
  /** The launcher drops the output, so a failure would only show as a slow start. */
  @Test
  void playsEveryPart() throws Exception {
    StringWriter said = new StringWriter();
    InputStream in = System.in;
    try {
      Rehearsal.rehearse(10, new PrintWriter(said, true));
    } finally {
      System.setIn(in);
    }
    assertThat(said.toString()).isEmpty();
  }
}
