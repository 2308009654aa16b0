/** The sentence of a change, in which no line ends between a sign and what came or went. */
export function ChangeSentence({ text }: { text: string }) {
  return text.split(/([+−] \S+)/).map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence never move
      <span key={index} className="whitespace-nowrap">
        {part}
      </span>
    ) : (
      part
    ),
  )
}
