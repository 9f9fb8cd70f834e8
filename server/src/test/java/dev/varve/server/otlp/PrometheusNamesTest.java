package dev.varve.server.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names as in Prometheus' package otlptranslator; the cases come from its tests. */
class PrometheusNamesTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          system.filesystem.usage              | By              | gauge   | system_filesystem_usage_bytes
          system.io                            | By              | counter | system_io_bytes_total
          network_transmitted_bytes_total      | By              | counter | network_transmitted_bytes_total
          system.network.dropped               | {packets}       | gauge   | system_network_dropped
          system.network.dropped               | nonstandard:_1  | gauge   | system_network_dropped_nonstandard:_1
          system.network.dropped               | {packets}       | counter | system_network_dropped_total
          system.network.packets.dropped       | packets         | gauge   | system_network_packets_dropped
          system.network.packets               | packets         | counter | system_network_packets_total
          hw.gpu.memory.utilization            | 1               | gauge   | hw_gpu_memory_utilization_ratio
          hw.fan.speed_ratio                   | 1               | gauge   | hw_fan_speed_ratio
          objects                              | 1               | counter | objects_total
          objects                              | 1               | other   | objects
          hw.cpu.speed_limit                   | Hz              | gauge   | hw_cpu_speed_limit_hertz
          broken.metric.speed                  | km/h            | gauge   | broken_metric_speed_km_per_hour
          astro.light.speed_limit              | m/s             | gauge   | astro_light_speed_limit_meters_per_second
          system.network.dropped               | non/standard:_1 | gauge   | system_network_dropped_non_per_standard:_1
          broken.metric.speed                  | km/°            | gauge   | broken_metric_speed_km
          broken.metric.success_ratio          | %               | gauge   | broken_metric_success_ratio_percent
          broken.metric.success_percent        | %               | gauge   | broken_metric_success_percent
          ad.object.rate                       | {objects}/s     | gauge   | ad_object_rate_per_second
          mongodbatlas.process.oplog.rate      | GiBy/h          | gauge   | mongodbatlas_process_oplog_rate_gibibytes_per_hour
          query_targeting.scanned_per_returned | {scanned}/{ret} | gauge   | query_targeting_scanned_per_returned
          redis.latest_fork                    | us              | gauge   | redis_latest_fork_microseconds
          system.io                            | foo/bar         | counter | system_io_foo_per_bar_total
          3.14 digits                          |                 | gauge   | _3_14_digits
          envoy__rule_engine_zlib_buf_error    |                 | gauge   | envoy_rule_engine_zlib_buf_error
          :foo::bar                            |                 | counter | :foo::bar_total
          metric_with_字符_foreign_characters  |                 | counter | metric_with_foreign_characters_total
          temperature                          | %*()°:C         | gauge   | temperature_:C
          total.of.things                      |                 | counter | of_things_total
          """)
  void metricsHaveUnitsAndKindsAsSuffixes(String name, String unit, String kind, String expected) {
    assertThat(
            PrometheusNames.metric(
                name, unit == null ? "" : unit, kind.equals("counter"), kind.equals("gauge")))
        .isEqualTo(expected);
  }

  @Test
  void nothingIsLeftOfSomeNames() {
    assertThat(PrometheusNames.metric("...", "", false, false)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "http.method, http_method",
    "label:with:colons, label_with_colons",
    "LabelWithCapitalLetters, LabelWithCapitalLetters",
    "label!with&special$chars), label_with_special_chars_",
    "label_with_foreign_characters_字符, label_with_foreign_characters___",
    "123label, key_123label",
    "_label, key_label",
    "__label, __label"
  })
  void labelsAreLettersDigitsAndUnderscores(String attribute, String expected) {
    assertThat(PrometheusNames.label(attribute)).isEqualTo(expected);
  }
}
