/** Joins class names, leaving out what is empty or switched off. */
export function classNames(...names: (string | false | undefined)[]): string {
  return names.filter(Boolean).join(' ')
}
