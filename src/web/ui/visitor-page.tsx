import { createContext, type ReactNode, useContext } from 'react'
import { portalSettings } from '#web/http/portal-settings.ts'
import { BrandMark } from './brand-mark.tsx'
import { classNames } from './class-names.ts'
import { Footer } from './footer.tsx'
import { Skeleton } from './loading.tsx'
import reportPicture from './report-picture.svg'

interface VisitorPageProps {
  title: string
  description?: ReactNode
  /** Whether to show a report next to it; not for a message alone. */
  hasPanel?: boolean
  /** For a page to read. */
  isWide?: boolean
  /** Stands in the gap above the heading. */
  notice?: ReactNode
  children?: ReactNode
}

/** Whether the page renders inside the signed-in frame, which has its own brand, main and footer. */
export const InsideFrame = createContext(false)

/**
 * The layout of all visitors' screens: brand, heading and form at the same position
 * on each, so that nothing jumps between screens. A message alone is centered.
 */
export function VisitorPage(props: VisitorPageProps) {
  const { title, description, hasPanel = true, isWide = false, notice, children } = props
  const column = classNames(columnClasses, isWide && 'max-w-3xl!')
  const content = (
    <>
      <div className="space-y-2">
        <h1 className="font-semibold text-2xl leading-9 tracking-tight sm:text-[1.75rem]">{title}</h1>
        {description && (
          // Two lines on phones, since the fallback font may wrap the line elsewhere and shift the form.
          <div
            className={classNames('text-muted text-sm leading-relaxed', hasPanel && 'max-sm:min-h-[3.25em]')}
          >
            {description}
          </div>
        )}
      </div>
      {children}
    </>
  )
  if (useContext(InsideFrame)) return <div className={`${column} space-y-7 py-16`}>{content}</div>
  return (
    <div className="flex min-h-dvh flex-col bg-surface">
      <div className={classNames('flex-1', hasPanel && gridClasses)}>
        <div className={`${column} pt-6 pb-10 sm:pt-10`}>
          <header className="relative flex min-h-8 flex-wrap items-center">
            <BrandMark />
            {notice}
          </header>
          <main className="mt-10 space-y-7 sm:mt-[clamp(2rem,6svh,5rem)]">{content}</main>
        </div>
        {hasPanel && <ReportPanel />}
      </div>
      <Footer />
    </div>
  )
}

const gridClasses = 'grid lg:grid-cols-[minmax(0,1fr)_42%]'
const columnClasses = 'mx-auto w-full max-w-108 px-6'

/** A page with a message and links, but no form. */
export function MessagePage(props: { title: string; children?: ReactNode; actions?: ReactNode }) {
  return (
    <VisitorPage title={props.title} description={props.children} hasPanel={false}>
      {props.actions && <div className="grid gap-3">{props.actions}</div>}
    </VisitorPage>
  )
}

/** The placeholder of a form while it loads. */
export function FormLoading({ children }: { children: ReactNode }) {
  return (
    <div className="space-y-5">
      <p role="status" className="text-muted text-sm">
        {children}
      </p>
      <Skeleton className="h-17" />
      <Skeleton className="h-17" />
      <Skeleton className="h-11" />
    </div>
  )
}

/** The group's picture, or a sample report as inline SVG, which uses the page's colors. */
function ReportPanel() {
  return (
    <div className="sticky top-3 my-3 mr-3 hidden h-[calc(100dvh-3.5rem-1px)] overflow-hidden rounded-2xl bg-panel lg:block">
      <svg
        aria-hidden="true"
        viewBox="0 0 760 600"
        className="absolute top-14 left-14 h-150 w-190 tabular-nums"
      >
        <use href={`${reportPicture}#report`} />
      </svg>
      <div className="absolute inset-0 bg-(image:--brand-picture) bg-center bg-cover" />
      <p className="absolute inset-x-0 bottom-0 bg-linear-to-t from-60% from-panel px-14 pt-40 pb-14 font-semibold text-3xl text-white tracking-tight">
        {portalSettings.groupName}
      </p>
    </div>
  )
}

/** The initial page of a path that is not prerendered, until the scripts load. */
export function BlankPage() {
  return (
    <div className={`min-h-dvh bg-surface ${gridClasses}`}>
      <div className={`${columnClasses} pt-6 sm:pt-10`}>
        <div className="flex h-8 items-center">
          <BrandMark />
        </div>
      </div>
    </div>
  )
}
