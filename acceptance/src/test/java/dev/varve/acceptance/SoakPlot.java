package dev.varve.acceptance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** Draws what a server held over a run: one chart for each figure, below each other. */
final class SoakPlot {
  private static final int WIDTH = 720;
  private static final int HEIGHT = 130;
  private static final int LEFT = 60;
  private static final int TOP = 24;
  private static final int BOTTOM = 16;

  private SoakPlot() {}

  /** Writes {@code soak.svg} and {@code soak.csv}. */
  static void write(Path folder, List<Footprint> footprints, Duration length) throws IOException {
    StringBuilder svg = new StringBuilder();
    svg.append(
        ("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
                + "font-family=\"sans-serif\" font-size=\"12\">\n")
            .formatted(WIDTH, HEIGHT * Footprint.FIGURES.size()));
    svg.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    int top = 0;
    for (Map.Entry<String, ToDoubleFunction<Footprint>> figure : Footprint.FIGURES.entrySet()) {
      chart(svg, top, figure.getKey(), figure.getValue(), footprints, length);
      top += HEIGHT;
    }
    Files.writeString(folder.resolve("soak.svg"), svg.append("</svg>\n"));
    Files.writeString(folder.resolve("soak.csv"), csv(footprints));
  }

  private static void chart(
      StringBuilder svg,
      int top,
      String title,
      ToDoubleFunction<Footprint> figure,
      List<Footprint> footprints,
      Duration length) {
    double most = footprints.stream().mapToDouble(figure).max().orElse(1);
    int bottom = top + HEIGHT - BOTTOM;
    int height = HEIGHT - TOP - BOTTOM;
    String points =
        footprints.stream()
            .map(one ->
                String.format(
                    Locale.ROOT,
                    "%.1f,%.1f",
                    LEFT + (WIDTH - LEFT - 10.0) * one.at().toMillis() / length.toMillis(),
                    bottom - height * figure.applyAsDouble(one) / most))
            .collect(Collectors.joining(" "));
    svg.append(
        String.format(
            Locale.ROOT,
            """
            <text x="%d" y="%d">%s: median %.1f in the second quarter, %.1f in the last</text>
            <text x="%d" y="%d" text-anchor="end">%.0f</text>
            <text x="%d" y="%d" text-anchor="end">0</text>
            <path d="M%d %dV%dH%d" stroke="#999" fill="none"/>
            <polyline points="%s" stroke="#1f6feb" fill="none"/>
            """,
            LEFT,
            top + TOP - 8,
            title,
            Footprint.median(footprints, figure, 1),
            Footprint.median(footprints, figure, 3),
            LEFT - 6,
            top + TOP + 8,
            most,
            LEFT - 6,
            bottom,
            LEFT,
            top + TOP,
            bottom,
            WIDTH - 10,
            points));
  }

  private static String csv(List<Footprint> footprints) {
    return footprints.stream()
        .map(one ->
            String.format(
                Locale.ROOT,
                "%d,%.1f,%.1f,%.0f,%.0f",
                one.at().toSeconds(),
                one.heapMiB(),
                one.nativeMiB(),
                one.handles(),
                one.threads()))
        .collect(
            Collectors.joining("\n", "seconds,heap_mib,native_mib,file_handles,threads\n", "\n"));
  }
}
