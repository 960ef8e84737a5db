import { create } from "./create.ts";
import { remove } from "./delete.ts";
import { deliveries } from "./deliveries.ts";
import { readDelivery } from "./get-delivery.ts";
import { get } from "./get.ts";
import { list } from "./list.ts";
import { replay } from "./replay.ts";
import { resend } from "./resend.ts";
import { rotate } from "./rotate-secret.ts";
import { test } from "./test.ts";
import { update } from "./update.ts";

/** The OpenAPI document lists the operations in this order. */
export const WEBHOOK_OPERATIONS = [
  list,
  create,
  get,
  update,
  remove,
  rotate,
  test,
  deliveries,
  readDelivery,
  resend,
  replay,
];
