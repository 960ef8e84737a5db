import type { Services } from "#context.ts";
import { unseal } from "#core/aes-gcm.ts";
import { MINUTE } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import { log } from "#core/log.ts";
import { eventId } from "#events/event-id.ts";
import { readEvent } from "#events/read-event.ts";
import {
  findSendingWebhook,
  selectSendingRound,
  type SendingWebhook,
  type SentEventRow,
} from "#webhooks/delivery/store-delivery.ts";
import { presentEvent } from "#wire/schemas/event.ts";
import type { DeliveryStore, NewDelivery, SenderState, WaitingDelivery } from "./store-deliveries.ts";

const EVENTS_AT_ONCE = 100;
/**
 * How far below the cursor (in event numbers) to read after a restore, because clocks differ and new events may get
 * lower numbers.
 */
const REREAD_AFTER_RESTORE = 10 * MINUTE * 1000;

/** A webhook with decrypted secrets. */
export interface Receiver {
  readonly webhook: SendingWebhook;
  readonly secret: string;
  readonly previous: { readonly secret: string; readonly until: number } | null;
}

export interface Round {
  /** The webhook; null if it was deleted. */
  readonly receiver: Receiver | null;
  readonly added: readonly WaitingDelivery[];
  readonly hasMore: boolean;
  /** Whether stored deliveries wait to be sent again. */
  readonly requeued: boolean;
}

type RoundServices = Pick<Services, "adapterFor" | "clock" | "config" | "db">;

async function openReceiver({ config }: Pick<Services, "config">, webhook: SendingWebhook): Promise<Receiver> {
  const { previous } = webhook;
  return {
    webhook,
    secret: await unseal(config, webhook.id, webhook.sealedSecret),
    previous: previous && { secret: await unseal(config, webhook.id, previous.sealedSecret), until: previous.until },
  };
}

export async function findReceiver(
  services: Pick<Services, "config" | "db">,
  webhookId: string,
): Promise<Receiver | null> {
  const webhook = await findSendingWebhook(services.db, webhookId);
  return webhook && (await openReceiver(services, webhook));
}

/** The secrets that sign a delivery. After a rotation both do for a while, so that the receiver has time to change. */
export function receiverSecrets({ secret, previous }: Receiver, now: number): readonly string[] {
  return previous !== null && now < previous.until ? [secret, previous.secret] : [secret];
}

/** Reads the webhook and its new events, and stores the deliveries together with the cursor. */
export async function readRound(
  services: RoundServices,
  store: DeliveryStore,
  webhookId: string,
  mayAdd: boolean,
): Promise<Round> {
  const state = store.state();
  const { erasures } = store;
  const cursor = { seq: state.seq, startSeen: state.startSeen };
  const round = await selectSendingRound(services.db, { webhookId, cursor, limit: mayAdd ? EVENTS_AT_ONCE : 0 });
  const { webhook, events } = round;
  if (webhook === null) {
    return { receiver: null, added: [], hasMore: false, requeued: false };
  }
  const receiver = await openReceiver(services, webhook);
  await failpoint("webhook.before_store");
  if (store.state().seq !== state.seq || store.erasures !== erasures) {
    // Since the read, a replay moved the cursor, or an erasure removed data that these events still contain. So store
    // none of them.
    return { receiver, added: [], hasMore: true, requeued: false };
  }
  if (webhook.isDisabled) {
    store.putDisabled(true);
    return { receiver, added: [], hasMore: false, requeued: false };
  }
  const requeued = applyChanges(store, state, webhook, services.clock.now());
  // The last event that was read no longer exists, so the database was restored. Read the new events below it again;
  // `checkedTo` keeps known ones from being sent twice.
  if (state.isEvent && round.newestRead !== null && round.newestRead !== state.seq) {
    const seq = Math.max(state.startSeen, state.seq - REREAD_AFTER_RESTORE);
    log("warn", "webhook.log_put_back", { webhookId, seq: state.seq, newest: round.newestRead });
    store.putCursor({ seq, isEvent: false, checkedTo: state.seq });
    return { receiver, added: [], hasMore: true, requeued };
  }
  const last = events.at(-1);
  // mutant: cursor-before-delivery
  const added =
    last === undefined
      ? []
      : store.addDeliveries(
          events.flatMap((row) => toDelivery(services, store, webhook, state, row)),
          last.seq,
          services.clock.now(),
        );
  await failpoint("webhook.after_store");
  return { receiver, added, hasMore: !mayAdd || events.length === EVENTS_AT_ONCE, requeued };
}

/**
 * Applies changes of the webhook, and returns whether deliveries wait again. A new start drops waiting deliveries;
 * enabling without one sends what was missed.
 */
function applyChanges(store: DeliveryStore, state: SenderState, webhook: SendingWebhook, now: number): boolean {
  const isNewStart = webhook.startAfter > state.startSeen;
  if (isNewStart) {
    store.startAfter(webhook.startAfter);
  }
  if (state.wasDisabled) {
    store.putDisabled(false);
    store.queueMissed(now);
  }
  return isNewStart || state.wasDisabled;
}

/** The delivery of an event. Empty if the webhook does not want the event. */
function toDelivery(
  services: RoundServices,
  store: DeliveryStore,
  webhook: SendingWebhook,
  { checkedTo }: SenderState,
  row: SentEventRow,
): readonly NewDelivery[] {
  const { seq, type, subject_id: subjectId } = row;
  const id = eventId({ workspaceId: row.workspace_id, seq });
  const isWanted = webhook.types.includes("*") || webhook.types.includes(type);
  // A webhook gets no event about its own end; only the others are notified of it.
  if (!isWanted || subjectId === webhook.id || (seq <= checkedTo && store.hasDelivery(id))) {
    return [];
  }
  try {
    const body = JSON.stringify(presentEvent(services, readEvent(services, row)));
    return [{ eventId: id, seq, type, subjectId, body }];
  } catch (error) {
    // The event can never be read, and it must not block later events.
    log("error", "webhook.event_unreadable", { webhookId: webhook.id, seq, reason: String(error) });
    return [];
  }
}
