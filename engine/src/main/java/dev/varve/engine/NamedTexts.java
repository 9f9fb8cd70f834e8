package dev.varve.engine;

import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.request.ReadGuard;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Texts that clients keep beside the samples of a dataset. A name has three parts: service, service
 * key and key. All servers on a store share them. Safe for use by several threads.
 */
public interface NamedTexts {
  /**
   * Returns a text; null if there is none.
   *
   * @throws IllegalArgumentException if the name is too long or has a NUL
   */
  ServiceTexts.@Nullable Text get(String service, String serviceKey, String key);

  /**
   * Stores a text and returns once it is durable.
   *
   * @throws IllegalArgumentException if name or text are too long, or the name has a NUL
   * @throws QueryRefusedException if nothing may be written
   * @throws WriteFailedException if the store failed
   */
  void put(String service, String serviceKey, String key, String text);

  /**
   * Stores a text if the stored one is as expected, and returns once it is durable.
   *
   * @param expected null if no text must be stored
   * @return whether the text was stored
   * @throws IllegalArgumentException as {@link #put}
   * @throws QueryRefusedException if nothing may be written
   * @throws WriteFailedException if the store failed
   */
  boolean putIf(
      String service, String serviceKey, String key, @Nullable String expected, String text);

  /**
   * Deletes a text and returns once that is durable. Does nothing if there is none.
   *
   * @throws IllegalArgumentException if the name is too long or has a NUL
   * @throws QueryRefusedException if nothing may be written
   * @throws WriteFailedException if the store failed
   */
  void delete(String service, String serviceKey, String key);

  /**
   * Returns the distinct service keys of a service, sorted.
   *
   * @throws QueryRefusedException if the table of the original does not list them
   */
  List<String> serviceKeys(String service, ReadGuard guard);

  /**
   * Returns the texts of a service key whose keys begin with a prefix, in the order of the keys'
   * bytes.
   *
   * @param guard accounts for their memory
   */
  List<ServiceTexts.Text> texts(String service, String serviceKey, String prefix, ReadGuard guard);
}
