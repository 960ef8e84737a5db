import type { FC } from "hono/jsx";
import type { CoveredEdges, PostAppearance } from "#platforms/contract.ts";
import type { MediaItem } from "#posts/index.ts";

type MediaLook = PostAppearance["media"];

const UNKNOWN_RATIO = 1;
/** The allowed ratios of width to height. Media beyond them would be a thin line or fill the page. */
const SHOWN_RATIOS = { min: 0.4, max: 3 } as const;

function ratioOf({ width, height }: MediaItem): number {
  return width !== null && height !== null && width > 0 && height > 0 ? width / height : UNKNOWN_RATIO;
}

function clamp(value: number, { min, max }: { readonly min: number; readonly max: number }): number {
  return Math.min(Math.max(value, min), max);
}

/**
 * Media with a smaller ratio of width to height are shown smaller, so that the picture of the post fits beside the
 * form.
 */
const TALL_RATIO = 0.7;

/** The largest number of media that feeds show side by side. */
const GRID_MAX = 4;

/** A collage of more media shows this many: two squares above three. */
const COLLAGE_SHOWN = 5;

function isCollage({ several }: MediaLook, { length }: readonly MediaItem[]): boolean {
  return typeof several === "object" && several.collage === true && length > GRID_MAX;
}

/** The ratio of the box in which a feed shows several media side by side. Null if the feed does not. */
function gridRatio({ several }: MediaLook, { length }: readonly MediaItem[]): number | null {
  return typeof several === "object" && length > 1 && length <= GRID_MAX ? several.grid : null;
}

/**
 * The ratio of one medium in the box. Two media get halves, four get quarters; of three, the first gets a half and the
 * others quarters.
 */
function ratioInGrid(grid: number, count: number, index: number): number {
  return count === 2 || (count === 3 && index === 0) ? grid / 2 : grid;
}

function frameRatio(look: MediaLook, media: readonly MediaItem[], index: number): number {
  if (isCollage(look, media)) {
    return 1;
  }
  const grid = gridRatio(look, media);
  if (grid !== null) {
    return ratioInGrid(grid, media.length, index);
  }
  const item = media[index];
  const isOwn = media.length === 1 || look.several === "own";
  const measured = isOwn ? item : media[0];
  const natural = measured ? ratioOf(measured) : UNKNOWN_RATIO;
  const several = typeof look.several === "object" ? look.several.grid : look.several;
  const ratio = media.length > 1 && typeof several === "number" ? several : clamp(natural, look.ratio);
  return clamp(ratio, SHOWN_RATIOS);
}

const NAMES = { image: "Image", video: "Video" } as const satisfies Record<MediaItem["type"], string>;

/** The text for screen readers: the medium's description, or else what the medium is. */
function labelOf({ type, altText }: MediaItem, place: string): string {
  return `${NAMES[type]}${place}${altText === undefined ? "" : `: ${altText}`}`;
}

/** Writes a duration as `1:05`. Empty if it is unknown. */
function formatDuration(seconds: number | null): string {
  const whole = Math.round(seconds ?? 0);
  return seconds === null ? "" : `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

const VideoFrame: FC<{ item: MediaItem; label: string }> = ({ item, label }) => (
  <span
    class="likeness-video"
    role="img"
    aria-label={[label, formatDuration(item.durationSeconds)].filter(Boolean).join(", ")}
  >
    <svg viewBox="0 0 48 48" width="48" fill="#fff" aria-hidden="true">
      <circle cx="24" cy="24" r="23" fill-opacity="0.25" />
      <path d="M19 15v18l15-9z" />
    </svg>
    <span aria-hidden="true">{formatDuration(item.durationSeconds)}</span>
  </span>
);

/** Shades the edges of a medium that the app's own texts and buttons cover. */
const Covered: FC<{ edges: CoveredEdges }> = ({ edges: { top, right, bottom, left } }) => (
  <svg class="likeness-covered" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
    <path
      fill-opacity="0.45"
      fill-rule="evenodd"
      d={`M0 0H100V100H0zM${left} ${top}H${100 - right}V${100 - bottom}H${left}z`}
    />
  </svg>
);

/**
 * One medium in the frame that the feed gives it. An empty drawing sets the ratio of the frame, because pages have no
 * inline styles.
 */
const Frame: FC<{
  item: MediaItem;
  ratio: number;
  look: MediaLook;
  label: string;
  isHalf: boolean;
  /** How many media follow that the feed does not show. */
  rest: number;
}> = (props) => {
  const {
    item,
    ratio,
    look: { fit, covered },
    label,
    isHalf,
    rest,
  } = props;
  return (
    <li class={`likeness-frame ${fit}${isHalf ? " likeness-half" : ""}`}>
      <svg viewBox={`0 0 ${Math.round(ratio * 1000)} 1000`} aria-hidden="true"></svg>
      {item.type === "video" ? (
        <VideoFrame item={item} label={label} />
      ) : item.id === "" ? (
        <span class="likeness-video">Not fetched yet</span>
      ) : (
        <img src={item.url} alt={label} loading="lazy" decoding="async" />
      )}
      {covered && <Covered edges={covered} />}
      {rest > 0 && <span class="likeness-video likeness-count">{`+${rest}`}</span>}
    </li>
  );
};

/** The media of a post as a feed shows them: one in its frame, several side by side or as a strip with their number. */
export const LikenessMedia: FC<{ media: readonly MediaItem[]; look: MediaLook }> = ({ media, look }) => {
  if (media.length === 0) {
    return null;
  }
  const isSeveral = media.length > 1;
  const hasCollage = isCollage(look, media);
  const shown = hasCollage ? media.slice(0, COLLAGE_SHOWN) : media;
  const isGrid = hasCollage || gridRatio(look, media) !== null;
  const isStrip = isSeveral && !isGrid;
  const isTall = !isGrid && frameRatio(look, media, 0) < TALL_RATIO;
  return (
    <div class={isTall ? "likeness-media likeness-tall" : "likeness-media"}>
      <ul
        class={hasCollage ? "likeness-grid collage" : isGrid ? "likeness-grid" : isStrip ? "likeness-strip" : undefined}
        {...(isStrip && { tabindex: 0, "aria-label": `${media.length} items` })}
      >
        {shown.map((item, index) => (
          <Frame
            item={item}
            ratio={frameRatio(look, media, index)}
            look={look}
            isHalf={isGrid && media.length === 3 && index === 0}
            rest={index === shown.length - 1 ? media.length - shown.length : 0}
            label={labelOf(item, isSeveral ? ` ${index + 1} of ${media.length}` : "")}
          />
        ))}
      </ul>
      {isStrip && <span class="likeness-count">{`1/${media.length}`}</span>}
    </div>
  );
};
