import { runInDurableObject } from "cloudflare:test";

/**
 * Fires the alarm of an object, as the runtime does: with the time that it was set for. `runDurableObjectAlarm` does not tell it. False when
 * there is none.
 */
export async function runObjectAlarm(stub: DurableObjectStub): Promise<boolean> {
  return await runInDurableObject(stub, async (instance, { storage }) => {
    const scheduledTime = await storage.getAlarm();
    if (scheduledTime === null) {
      return false;
    }
    await storage.deleteAlarm();
    await instance.alarm?.({ scheduledTime, retryCount: 0, isRetry: false });
    return true;
  });
}
