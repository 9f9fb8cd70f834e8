package dev.varve.store.bigtable;

import com.google.api.gax.core.CredentialsProvider;
import com.google.api.gax.core.FixedCredentialsProvider;
import com.google.api.gax.grpc.ChannelPoolSettings;
import com.google.api.gax.grpc.InstantiatingGrpcChannelProvider;
import com.google.api.gax.retrying.RetrySettings;
import com.google.auth.oauth2.GoogleCredentials;
import com.google.cloud.bigtable.admin.v2.BigtableTableAdminClient;
import com.google.cloud.bigtable.admin.v2.BigtableTableAdminSettings;
import com.google.cloud.bigtable.data.v2.BigtableDataClient;
import com.google.cloud.bigtable.data.v2.BigtableDataSettings;
import com.google.cloud.bigtable.data.v2.stub.EnhancedBigtableStubSettings;
import com.google.cloud.bigtable.data.v2.stub.metrics.NoopMetricsProvider;
import dev.varve.store.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The two clients: for data and for table administration. */
final class Clients implements AutoCloseable {
  private static final String EMULATOR_VARIABLE = "BIGTABLE_EMULATOR_HOST";
  private static final String SCOPE = "https://www.googleapis.com/auth/cloud-platform";
  private static final Duration FIRST_DELAY = Duration.ofMillis(10);
  private static final Duration LONGEST_DELAY = Duration.ofSeconds(5);

  /** For a stream of rows, which lives as long as its reader needs. */
  private static final Duration LONGEST_READ = Duration.ofDays(30);

  private final BigtableDataClient data;
  private final BigtableTableAdminClient admin;
  private final Channels channels;
  private final LongAdder failures = new LongAdder();

  private Clients(BigtableDataClient data, BigtableTableAdminClient admin, Channels channels) {
    this.data = data;
    this.admin = admin;
    this.channels = channels;
  }

  /**
   * Creates the clients; does not wait for a connection.
   *
   * @throws StoreException if there are no credentials, or the key file is invalid
   */
  static Clients open(BigtableOptions options) {
    String emulator = System.getenv(EMULATOR_VARIABLE);
    if (options.emulator() == null && emulator != null) {
      // The client would silently use the emulator, and write data to it.
      throw new StoreException(
          "the bigtable store %s cannot be opened: variable %s points to an emulator, %s; use option emulator for one, or unset it"
              .formatted(options.place(), EMULATOR_VARIABLE, emulator));
    }
    BigtableDataClient data = null;
    try {
      CredentialsProvider credentials = credentials(options);
      Channels channels = new Channels();
      data = BigtableDataClient.create(dataSettings(options, credentials, channels));
      return new Clients(
          data, BigtableTableAdminClient.create(adminSettings(options, credentials)), channels);
    } catch (IOException e) {
      if (data != null) {
        data.close();
      }
      throw new StoreException(
          "the bigtable store %s cannot be opened: %s".formatted(options.place(), e.getMessage()),
          e);
    }
  }

  private static @Nullable CredentialsProvider credentials(BigtableOptions options)
      throws IOException {
    if (options.emulator() != null) {
      return null;
    }
    if (options.credentials() == null) {
      return FixedCredentialsProvider.create(
          GoogleCredentials.getApplicationDefault().createScoped(SCOPE));
    }
    try (InputStream key = Files.newInputStream(options.credentials())) {
      return FixedCredentialsProvider.create(GoogleCredentials.fromStream(key).createScoped(SCOPE));
    } catch (IOException e) {
      throw new IOException(
          "%s is not a service account key: %s".formatted(options.credentials(), e.getMessage()),
          e);
    }
  }

  private static BigtableDataSettings dataSettings(
      BigtableOptions options, @Nullable CredentialsProvider credentials, Channels channels) {
    String emulator = options.emulator();
    BigtableDataSettings.Builder settings =
        emulator == null
            ? BigtableDataSettings.newBuilder()
            : BigtableDataSettings.newBuilderForEmulator(host(emulator), port(emulator));
    settings.setProjectId(options.project()).setInstanceId(options.instance());
    if (options.appProfile() != null) {
      settings.setAppProfileId(options.appProfile());
    }
    if (credentials != null) {
      settings.setCredentialsProvider(credentials);
    }
    // The exporter of the client's own metrics is not included.
    settings.setMetricsProvider(NoopMetricsProvider.INSTANCE);
    settings.disableInternalMetrics();
    EnhancedBigtableStubSettings.Builder stub = settings.stubSettings();
    stub.setDirectPathConfig(EnhancedBigtableStubSettings.DirectPathConfig.FORCED_OFF);
    if (options.endpoint() != null) {
      stub.setEndpoint(options.endpoint());
    }
    if (stub.getTransportChannelProvider() instanceof InstantiatingGrpcChannelProvider provider) {
      InstantiatingGrpcChannelProvider.Builder transport = provider.toBuilder();
      transport.setChannelConfigurator(channels.noted(transport.getChannelConfigurator()));
      transport.setChannelPoolSettings(ChannelPoolSettings.staticallySized(options.connections()));
      stub.setTransportChannelProvider(transport.build());
    }
    setTimeouts(stub, options);
    return settings.build();
  }

  private static RetrySettings retries(BigtableOptions options) {
    return RetrySettings.newBuilder()
        .setInitialRetryDelayDuration(FIRST_DELAY)
        .setRetryDelayMultiplier(2)
        .setMaxRetryDelayDuration(LONGEST_DELAY)
        .setInitialRpcTimeoutDuration(options.attemptTimeout())
        .setMaxRpcTimeoutDuration(options.attemptTimeout())
        .setTotalTimeoutDuration(options.timeout())
        .setMaxAttempts(options.retries() + 1)
        .build();
  }

  private static void setTimeouts(
      EnhancedBigtableStubSettings.Builder stub, BigtableOptions options) {
    RetrySettings retries = retries(options);
    RetrySettings once = retries.toBuilder().setMaxAttempts(1).build();
    // A read may last as long as cells arrive: an attempt times out without progress, and the
    // stream if nothing arrived in all of its attempts (RowStream). The client caps the deadline of
    // the first attempt at the total, so the total must be as long.
    stub.readRowsSettings()
        .setRetrySettings(
            retries.toBuilder()
                .setInitialRpcTimeoutDuration(LONGEST_READ)
                .setMaxRpcTimeoutDuration(LONGEST_READ)
                .setTotalTimeoutDuration(LONGEST_READ)
                .build())
        .setWaitTimeoutDuration(options.attemptTimeout())
        .setIdleTimeoutDuration(Duration.ZERO);
    stub.readRowSettings().setRetrySettings(retries);
    // Writes are retried here, where it is known which attempts may have been applied.
    stub.bulkMutateRowsSettings().setRetryableCodes().setRetrySettings(once);
    stub.checkAndMutateRowSettings().setRetryableCodes().setRetrySettings(once);
  }

  static BigtableTableAdminSettings adminSettings(
      BigtableOptions options, @Nullable CredentialsProvider credentials) throws IOException {
    String emulator = options.emulator();
    BigtableTableAdminSettings.Builder settings =
        emulator == null
            ? BigtableTableAdminSettings.newBuilder()
            : BigtableTableAdminSettings.newBuilderForEmulator(host(emulator), port(emulator));
    settings.setProjectId(options.project()).setInstanceId(options.instance());
    if (credentials != null) {
      settings.setCredentialsProvider(credentials);
    }
    RetrySettings retries = retries(options);
    RetrySettings once =
        retries.toBuilder()
            .setInitialRpcTimeoutDuration(options.timeout())
            .setMaxRpcTimeoutDuration(options.timeout())
            .setMaxAttempts(1)
            .build();
    // Calls that the client does not repeat get the total timeout: creating a table takes a while.
    settings
        .stubSettings()
        .applyToAllUnaryMethods(call -> {
          call.setRetrySettings(call.getRetryableCodes().isEmpty() ? once : retries);
          return null;
        });
    if (options.adminEndpoint() != null) {
      settings.stubSettings().setEndpoint(options.adminEndpoint());
    }
    return settings.build();
  }

  private static String host(String address) {
    return address.substring(0, address.lastIndexOf(':'));
  }

  private static int port(String address) {
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  /** Counts a failed call, and reconnects if Bigtable was unavailable. */
  FailedCall failed(Throwable thrown) {
    FailedCall call = thrown instanceof FailedCall known ? known : new FailedCall(thrown);
    failures.increment();
    if (call.isUnavailable()) {
      channels.reconnect();
    }
    return call;
  }

  long failures() {
    return failures.sum();
  }

  BigtableDataClient data() {
    return data;
  }

  BigtableTableAdminClient admin() {
    return admin;
  }

  @Override
  public void close() {
    try {
      data.close();
    } finally {
      admin.close();
    }
  }
}
