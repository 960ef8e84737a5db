import { SECOND } from "#core/clock.ts";

/** A call that has not left so long after its time is held up. Most leave sooner, so that where there is no crowd nobody waits. */
const HELD_UP_AFTER_MS = 20;
/** A call that its object has made waits with those of others for the thread that sends it; its answer is waited for so long at most. */
const ON_ITS_WAY_MS = SECOND / 2;
/** An object that has not called so long after its time was ended by the runtime, or is held up by something else. */
const FORGOTTEN_AFTER_MS = 30 * SECOND;

/** The visible calls of one post. Each method may be called twice. */
export interface OpenCall {
  /** Its object has made it. */
  left(now: number): void;
  /** It is answered, or will not be made. */
  end(): void;
}

/**
 * The visible calls that are still to be made or answered in this isolate. Objects of one isolate share a thread, so that in a second with
 * many posts everything else holds up the calls: what can wait (recording results, deleting storage) asks here first.
 */
export class OpenCalls {
  private readonly waitedForUntil = new Map<OpenCall, { readonly dueAt: number; readonly until: number }>();

  /** An object is awake for a post that is due then. */
  add(dueAt: number): OpenCall {
    const call: OpenCall = {
      left: (now) => {
        if (this.waitedForUntil.has(call)) {
          this.waitedForUntil.set(call, { dueAt, until: Math.min(now + ON_ITS_WAY_MS, dueAt + FORGOTTEN_AFTER_MS) });
        }
      },
      end: () => void this.waitedForUntil.delete(call),
    };
    this.waitedForUntil.set(call, { dueAt, until: dueAt + FORGOTTEN_AFTER_MS });
    return call;
  }

  /** How many calls are held up. */
  countHeldUp(now: number): number {
    let count = 0;
    for (const [call, { dueAt, until }] of this.waitedForUntil) {
      if (until < now) {
        this.waitedForUntil.delete(call);
      } else if (dueAt <= now - HELD_UP_AFTER_MS) {
        count += 1;
      }
    }
    return count;
  }
}
