/** @throws Error when there is nothing to take it of */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const position = (sorted.length - 1) * share
  const below = sorted[Math.floor(position)]
  const above = sorted[Math.ceil(position)]
  if (below === undefined || above === undefined) throw new Error('nothing was measured')
  return below + (above - below) * (position % 1)
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** Least and greatest, as the spread behind a median. */
export function spread(values: readonly number[], digits = 0): string {
  return `${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)}`
}
