import { lookAt, type Looks } from "./bytes.ts";
import type { Sim } from "./contract.ts";

/** What stood at an address, by its bytes. */
export interface Found {
  readonly sha256: string;
  readonly size: number;
  readonly looks: Looks;
  readonly contentType: string;
  /** Whether the address led to another one. */
  readonly redirected: boolean;
}

/** Gets what a caller points at, to its end; null when nothing can be had there. */
export async function fetchMedia(sim: Sim, url: string | null, agent: string): Promise<Found | null> {
  if (url === null || !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    return null;
  }
  try {
    const answer = await sim.pull(url, { "user-agent": agent });
    if (answer.status !== 200 || !answer.body) {
      await answer.body?.cancel();
      return null;
    }
    const { sha256, size, head } = await sim.digest(answer.body);
    const contentType = answer.headers.get("content-type") ?? "";
    return { sha256, size, looks: lookAt(head), contentType, redirected: answer.redirected };
  } catch {
    return null;
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
