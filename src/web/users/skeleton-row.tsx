import { Skeleton } from '#web/ui/skeleton.tsx'
import { rowClasses } from './table-grid.tsx'

/** The place of a row that has not been read yet, of its size. */
export function SkeletonRow({ top }: { top: number }) {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it can be focused
    <tr
      aria-hidden="true"
      data-skeleton
      style={{ top }}
      className={`${rowClasses} absolute inset-x-0 h-66 border-line border-b`}
    >
      <td className="flex size-9 items-center justify-center xl:size-10">
        <Skeleton className="size-4" />
      </td>
      <td className="col-span-2 pt-2 xl:col-auto xl:pt-0">
        <Skeleton className="h-4 w-4/5" />
        <Skeleton className="mt-3 h-4 w-3/5 xl:absolute xl:bottom-2.5 xl:left-14 xl:mt-0 xl:w-96" />
      </td>
      <td className="hidden xl:block">
        <Skeleton className="h-4 w-3/5" />
      </td>
      {['status', 'verified', 'created', 'seen'].map((key, index) => (
        <td key={key} className={index % 2 === 0 ? 'col-start-2 xl:col-auto' : undefined}>
          <Skeleton className="h-4 w-20" />
        </td>
      ))}
      <td className="col-span-2 col-start-2 xl:col-auto">
        <Skeleton className="h-8 w-full max-w-60" />
      </td>
    </tr>
  )
}
