package dev.varve.store.bigtable;

import com.google.api.core.ApiFunction;
import io.grpc.ConnectivityState;
import io.grpc.ForwardingChannelBuilder2;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a client. After an outage gRPC waits up to two minutes before it reconnects.
 * That delay cannot be configured, but a call can make gRPC retry now.
 */
final class Channels {
  private static final Duration PAUSE = Duration.ofMillis(250);

  /** Number of checks after one failure; later failures start new ones. */
  private static final int LOOKS = 40;

  private final Set<ManagedChannel> channels = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean looking = new AtomicBoolean();

  /** Returns a configurator that registers each connection, after the client's own set-up. */
  @SuppressWarnings("rawtypes")
  ApiFunction<ManagedChannelBuilder, ManagedChannelBuilder> noted(
      @Nullable ApiFunction<ManagedChannelBuilder, ManagedChannelBuilder> setUp) {
    return builder -> new Noted(setUp == null ? builder : setUp.apply(builder));
  }

  /** Keeps reconnecting lost channels for a while, in the background. */
  void reconnect() {
    if (looking.compareAndSet(false, true)) {
      Thread.ofVirtual().name("bigtable-reconnect").start(this::look);
    }
  }

  private void look() {
    try {
      for (int i = 0; i < LOOKS && seek(); i++) {
        Thread.sleep(PAUSE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      looking.set(false);
    }
  }

  /** Resets the backoff of failed channels; returns whether any channel is still disconnected. */
  private boolean seek() {
    channels.removeIf(ManagedChannel::isShutdown);
    boolean missing = false;
    for (ManagedChannel channel : channels) {
      ConnectivityState state = channel.getState(false);
      if (state == ConnectivityState.TRANSIENT_FAILURE) {
        channel.resetConnectBackoff();
      }
      missing |=
          state == ConnectivityState.TRANSIENT_FAILURE || state == ConnectivityState.CONNECTING;
    }
    return missing;
  }

  private final class Noted extends ForwardingChannelBuilder2<Noted> {
    private final ManagedChannelBuilder<?> builder;

    private Noted(ManagedChannelBuilder<?> builder) {
      this.builder = builder;
    }

    @Override
    protected ManagedChannelBuilder<?> delegate() {
      return builder;
    }

    @Override
    public ManagedChannel build() {
      ManagedChannel channel = builder.build();
      channels.add(channel);
      return channel;
    }
  }
}
