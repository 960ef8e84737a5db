import type { Platform } from "#core/platform.ts";
import { KIND_TRAFFIC, MEDIA_KINDS, type MediaKind } from "./media-kinds.ts";
import { rulesOf, type SandboxUser } from "./sandbox-user.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** The share of the posts with one, two, three, four and five targets. */
const TARGET_SHARES = [0.55, 0.2, 0.1, 0.08, 0.07] as const;
export const MAX_TARGETS = TARGET_SHARES.length;

/** At the start of a run, a platform with a cap per day gets this share of it, so that a short run has some posts too. */
const FIRST_SHARE_OF_CAP = 0.1;

/** The index of a share, chosen with that probability. */
function pickShare(random: SeededRandom, shares: readonly number[]): number {
  let rest = random.next() * shares.reduce((total, share) => total + share, 0);
  return Math.max(
    0,
    shares.findIndex((share) => (rest -= share) < 0),
  );
}

export interface PostTargets {
  readonly kind: MediaKind;
  readonly platforms: readonly Platform[];
}

/**
 * Chooses kind and platforms of the posts of one user, from the rules of the platforms alone: the less a platform was used,
 * the more probable it is, and what it accepts per day is spread over the run.
 */
export class TargetChooser {
  readonly #random: SeededRandom;
  readonly #user: SandboxUser;
  readonly #used = new Map<Platform, number>();
  readonly #excluded = new Set<string>();

  constructor(random: SeededRandom, user: SandboxUser) {
    this.#random = random;
    this.#user = user;
  }

  /** Null when no platform may be used at this point of the run (`share` of its duration). */
  choose(share: number): PostTargets | null {
    const kind =
      MEDIA_KINDS[
        pickShare(
          this.#random,
          MEDIA_KINDS.map((name) => KIND_TRAFFIC[name].share),
        )
      ] ?? "text";
    const count = 1 + pickShare(this.#random, TARGET_SHARES);
    const candidates = [...this.#user.platforms.keys()].filter((platform) => this.#mayUse(platform, kind, share));
    const platforms: Platform[] = [];
    while (platforms.length < count && candidates.length > 0) {
      const weights = candidates.map((platform) => 1 / (1 + (this.#used.get(platform) ?? 0)));
      const [platform] = candidates.splice(pickShare(this.#random, weights), 1);
      if (platform !== undefined) {
        platforms.push(platform);
        this.#used.set(platform, (this.#used.get(platform) ?? 0) + 1);
      }
    }
    return platforms.length === 0 ? null : { kind, platforms };
  }

  /** For a platform that refused the sample file of a kind: not every sample suits every platform. */
  exclude(kind: MediaKind, platform: string): void {
    this.#excluded.add(`${kind} ${platform}`);
  }

  #mayUse(platform: Platform, kind: MediaKind, share: number): boolean {
    const { media, daily_caps: caps } = rulesOf(this.#user, platform);
    const cap = Math.min(...caps.map(({ count }) => count));
    const allowed = Math.ceil(cap * Math.min(1, share + FIRST_SHARE_OF_CAP));
    const accepts = KIND_TRAFFIC[kind].accepts(media) && !this.#excluded.has(`${kind} ${platform}`);
    return accepts && (this.#used.get(platform) ?? 0) < allowed;
  }
}
