import { z } from "@hono/zod-openapi";
import type { Context } from "#context.ts";
import type { Account } from "#accounts/types.ts";
import { MEDIA_TYPES, POST_TYPES } from "#core/status.ts";
import type { PlatformLimits as AdapterLimits } from "#platforms/contract.ts";
import { ownLimits } from "#platforms/limits-for.ts";

const MediaLimits = z
  .object({
    text_only: z.boolean().openapi({ description: "Whether a post without media is accepted." }),
    images: z.object({ max: z.int(), max_bytes: z.int(), content_types: z.array(z.string()) }).nullable(),
    videos: z
      .object({
        max: z.int(),
        max_bytes: z.int(),
        content_types: z.array(z.string()),
        min_seconds: z.number(),
        max_seconds: z.number(),
      })
      .nullable(),
    mixed: z.boolean().openapi({ description: "Whether one post may have images and videos." }),
    alt_text: z
      .object({
        types: z.array(z.enum(MEDIA_TYPES)).openapi({
          description: "The types of media whose `alt_text` is published; empty where the platform takes none.",
        }),
        max: z.int().nullable().openapi({ description: "In UTF-16 code units; null where no limit is known." }),
      })
      .openapi({ description: "Descriptions of media for people who cannot see them." }),
    covers: z
      .object({
        at_ms: z.boolean().openapi({ description: "Whether a moment of the video can be its cover." }),
        image: z
          .object({
            max_bytes: z.int().openapi({ description: "The largest accepted file." }),
            content_types: z.array(z.string()).openapi({ description: "The accepted types." }),
          })
          .nullable()
          .openapi({ description: "The pictures that can be a cover; null: none." }),
      })
      .openapi({ description: "Covers of videos." }),
  })
  .openapi("MediaLimits");

const LimitRule = z
  .object({
    of: z.string().openapi({
      description:
        "What is measured: `caption`, `media_items`, `image`, `gif`, `animated_gif`, `video`, `alt_text`, `cover`, or an option as `platform_options.title`; `[]` after it means each of its items.",
      example: "platform_options.title",
    }),
    measure: z.string().openapi({
      description:
        "`length`, `utf8_bytes`, `hashtags`, `mentions`, `links`, `cashtags`, `items`, `images`, `bytes`, `content_type`, `width`, `height`, `short_side`, `long_side`, `ratio` (width divided by height), `pixels`, `seconds`, `frame_rate`, `frames`, `frame_pixels`, `pages`, `video_codec` or `audio_codec`.",
      example: "length",
    }),
    min: z.number().nullable().openapi({ description: "The smallest accepted number." }),
    max: z.number().nullable().openapi({ description: "The largest accepted number." }),
    allowed: z.array(z.string()).nullable().openapi({ description: "The only accepted values." }),
    when: z
      .object({
        post_type: z.enum(POST_TYPES).nullable(),
        options: z.record(z.string(), z.string()),
      })
      .nullable()
      .openapi({ description: "The posts for which the limit holds; null for all." }),
  })
  .openapi("LimitRule", { description: "One limit; a value beyond it is refused with it as `limit` in `details`." });

export const limitFields = {
  caption: z.object({
    max: z.int(),
    unit: z.string().openapi({ description: "The unit in which the platform counts." }),
  }),
  media: MediaLimits,
  rules: z.array(LimitRule).openapi({ description: "Every limit beside `caption` and the number of media." }),
  daily_caps: z.array(z.object({ count: z.int(), window_hours: z.number(), what: z.string() })),
  duplicate_text: z
    .object({
      window_seconds: z.int().nullable(),
      note: z.string().openapi({ description: "What the platform refuses, and how sure the number is." }),
    })
    .nullable()
    .openapi({
      description:
        "How long the platform refuses the same text for one account: a preview warns of it with `duplicate_text`. Null if no such time is known. No platform documents a minimum time between two posts.",
    }),
};

const AccountLimits = z.object(limitFields).openapi("AccountLimits");

export const OwnLimits = z.union([AccountLimits, z.null()]).openapi({
  description: "The limits of this account where they differ from those of `GET /platforms`; otherwise null.",
});

function presentMedia({
  textOnly,
  images,
  videos,
  mixed,
  altText,
  covers,
}: AdapterLimits["media"]): z.infer<typeof MediaLimits> {
  return {
    text_only: textOnly,
    images: images && { max: images.max, max_bytes: images.maxBytes, content_types: [...images.contentTypes] },
    videos: videos && {
      max: videos.max,
      max_bytes: videos.maxBytes,
      content_types: [...videos.contentTypes],
      min_seconds: videos.minSeconds,
      max_seconds: videos.maxSeconds,
    },
    mixed,
    alt_text: { types: [...altText.types], max: altText.max },
    covers: {
      at_ms: covers.atMs,
      image: covers.image && { max_bytes: covers.image.maxBytes, content_types: [...covers.image.contentTypes] },
    },
  };
}

export function presentLimits({
  caption,
  media,
  rules,
  dailyCaps,
  duplicateText,
}: AdapterLimits): z.infer<typeof AccountLimits> {
  return {
    caption: { max: caption.max, unit: caption.unit },
    media: presentMedia(media),
    rules: rules.map(({ of, measure, min, max, allowed, when }) => ({
      of,
      measure,
      min: min ?? null,
      max: max ?? null,
      allowed: allowed ? [...allowed] : null,
      when: when ? { post_type: when.postType ?? null, options: presentOptions(when.options) } : null,
    })),
    daily_caps: dailyCaps.map(({ count, windowHours, what }) => ({ count, window_hours: windowHours, what })),
    duplicate_text: duplicateText && { window_seconds: duplicateText.windowSeconds, note: duplicateText.note },
  };
}

export type LimitServices = Pick<Context, "adapterFor" | "config">;

export function presentOwnLimits(
  { adapterFor, config }: LimitServices,
  { platform, capabilities }: Pick<Account, "platform" | "capabilities">,
): z.infer<typeof OwnLimits> {
  const adapter = adapterFor(platform);
  const own = adapter ? ownLimits(adapter, capabilities, config.app(platform)?.settings) : null;
  return own && presentLimits(own);
}

/** Option values as texts, because the OpenAPI document declares texts: `true` for a boolean. */
function presentOptions(options: Readonly<Record<string, boolean | string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, String(value)]));
}
