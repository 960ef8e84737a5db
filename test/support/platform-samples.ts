import { type Platform, PLATFORMS } from "#core/platform.ts";
import type { PlatformSample } from "./platform-sample.ts";

const modules = import.meta.glob<{ readonly sample: PlatformSample }>("../platforms/*/sample.ts", { eager: true });

export function sampleOf(platform: Platform): PlatformSample {
  const module = modules[`../platforms/${platform}/sample.ts`];
  if (!module) {
    throw new Error(`test/platforms/${platform}/sample.ts is missing: every one of ${PLATFORMS.join(", ")} needs one`);
  }
  return module.sample;
}
