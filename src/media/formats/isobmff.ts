import type { Inspection, MediaFacts } from "#media/types.ts";
import { type Box, boxes, readDuration, toMs } from "./isobmff-boxes.ts";
import { type ByteReader, malformed, MediaFormatError, truncated, uint64At } from "./byte-reader.ts";
import { readTrack, type Track } from "./isobmff-track.ts";

interface Movie {
  durationMs: number | null;
  tracks: Track[];
  fragmented: boolean;
}

async function readMovie(reader: ByteReader, moov: Box): Promise<Movie> {
  const movie: Movie = { durationMs: null, tracks: [], fragmented: false };
  let timescale = 0;
  for await (const box of boxes(reader, moov.start, moov.end)) {
    if (box.name === "mvhd") {
      const header = await readDuration(reader, box);
      timescale = header.timescale;
      movie.durationMs = toMs(header.duration, timescale);
    } else if (box.name === "trak") {
      movie.tracks.push(await readTrack(reader, box));
    } else if (box.name === "cmov") {
      throw new MediaFormatError(
        "media_type_unsupported",
        "the video has a compressed index, which no platform supports; export it again",
      );
    } else if (box.name === "mvex") {
      movie.fragmented = true;
      for await (const extension of boxes(reader, box.start, box.end)) {
        if (extension.name === "mehd") {
          const version = (await reader.view(extension.start, 1)).getUint8(0);
          const view = await reader.view(extension.start, version === 1 ? 12 : 8);
          movie.durationMs = toMs(version === 1 ? uint64At(view, 4) : view.getUint32(4), timescale);
        }
      }
    }
  }
  return movie;
}

function factsOf(
  reader: ByteReader,
  movie: Movie,
  video: Track,
  durationMs: number | null,
  moovFirst: boolean,
): MediaFacts {
  const audio = movie.tracks.find((track) => track.kind === "audio");
  const seconds = video.durationMs ? video.durationMs / 1000 : 0;
  return {
    ...(video.codec !== null && { videoCodec: video.codec }),
    audioCodec: audio?.codec ?? null,
    ...(audio?.channels !== undefined && { audioChannels: audio.channels }),
    ...(audio?.sampleRate !== undefined && { audioSampleRate: audio.sampleRate }),
    ...(seconds > 0 && video.samples > 0 && { frameRate: Math.round((video.samples / seconds) * 1000) / 1000 }),
    ...(durationMs !== null && durationMs > 0 && { bitRate: Math.round((reader.size * 8000) / durationMs) }),
    rotation: video.rotation,
    moovFirst,
    editList: video.editList,
    fragmented: movie.fragmented,
  };
}

/** Inspects MP4 and MOV files. It finds the index (`moov` box) wherever it is, and skips the media data. */
export async function inspectIsobmff(
  reader: ByteReader,
  contentType: "video/mp4" | "video/quicktime",
): Promise<Inspection> {
  let movie: Movie | null = null;
  let dataBytes = 0;
  let moovFirst = false;
  for await (const box of boxes(reader, 0, reader.size)) {
    if (box.name === "mdat") {
      dataBytes += box.end - box.start;
    }
    if (box.name === "moov" && !movie) {
      moovFirst = dataBytes === 0;
      movie = await readMovie(reader, box);
      if (movie.fragmented) {
        dataBytes = Math.max(dataBytes, reader.size - box.end);
        break; // Thousands of fragments may follow, and none of them is needed.
      }
    }
  }
  if (!movie) {
    truncated("the video has no index (moov); its recording or its copy is incomplete");
  }
  const video = movie.tracks.find((track) => track.kind === "video" && !track.isCoverImage);
  if (!video) {
    throw new MediaFormatError("media_type_unsupported", "the file has no video track; send a file with a video track");
  }
  if (video.isProtected) {
    throw new MediaFormatError("media_type_unsupported", "the video is copy-protected; send it without protection");
  }
  if (dataBytes === 0 || (video.samples === 0 && !movie.fragmented)) {
    truncated("the video has an index but no frames");
  }
  if (video.width === 0 || video.height === 0) {
    malformed("the video does not state its dimensions");
  }
  const longest = Math.max(movie.durationMs ?? 0, ...movie.tracks.map((track) => track.durationMs ?? 0));
  const durationMs = movie.durationMs ?? (longest > 0 ? longest : null);
  const isRotated = video.rotation === 90 || video.rotation === 270;
  return {
    type: "video",
    contentType,
    width: isRotated ? video.height : video.width,
    height: isRotated ? video.width : video.height,
    durationMs,
    facts: factsOf(reader, movie, video, durationMs, moovFirst),
  };
}
