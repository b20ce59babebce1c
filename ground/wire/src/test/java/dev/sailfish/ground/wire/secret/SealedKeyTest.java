package dev.sailfish.ground.wire.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

@Seeded
class SealedKeyTest {
  private static final byte[] SECRET = {1, 2, 3};

  private static byte[] flipped(ByteString bytes, SplittableRandom random) {
    byte[] flipped = bytes.toByteArray();
    flipped[random.nextInt(flipped.length)] ^= (byte) (1 << random.nextInt(8));
    return flipped;
  }

  private static void assertRefused(byte[] secret, byte[] session, String job, SealedKey sealed) {
    assertThatThrownBy(() -> sealed.open(secret, session, job))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("key of job=" + job);
  }

  @Test
  void opensWhatWasSealed(SplittableRandom random) throws IOException {
    byte[] key = TestBytes.random(random, 32);
    byte[] session = TestBytes.random(random, 32);
    SealedKey one = SealedKey.seal(SECRET, session, "job_1", key);
    SealedKey two = SealedKey.seal(SECRET, session, "job_1", key);
    assertThat(one.open(SECRET, session, "job_1")).isEqualTo(key);
    assertThat(two.open(SECRET, session, "job_1")).isEqualTo(key);
    assertThat(one.sealed().toByteArray()).isNotEqualTo(key);
    assertThat(one.sealed()).isNotEqualTo(two.sealed());
  }

  @Test
  void refusesWhatWasSealedForSomethingElseOrChanged(SplittableRandom random) {
    byte[] session = TestBytes.random(random, 32);
    SealedKey sealed = SealedKey.seal(SECRET, session, "job_1", TestBytes.random(random, 32));
    assertRefused(new byte[] {1, 2, 4}, session, "job_1", sealed);
    assertRefused(SECRET, TestBytes.random(random, 32), "job_1", sealed);
    assertRefused(SECRET, session, "job_2", sealed);
    byte[] salt = flipped(sealed.salt(), random);
    assertRefused(
        SECRET,
        session,
        "job_1",
        new SealedKey(ByteString.copyFrom(salt), sealed.sealed(), sealed.mac()));
    byte[] key = flipped(sealed.sealed(), random);
    assertRefused(
        SECRET,
        session,
        "job_1",
        new SealedKey(sealed.salt(), ByteString.copyFrom(key), sealed.mac()));
    byte[] mac = flipped(sealed.mac(), random);
    assertRefused(
        SECRET,
        session,
        "job_1",
        new SealedKey(sealed.salt(), sealed.sealed(), ByteString.copyFrom(mac)));
    assertRefused(
        SECRET,
        session,
        "job_1",
        new SealedKey(ByteString.EMPTY, ByteString.EMPTY, ByteString.EMPTY));
  }
}
