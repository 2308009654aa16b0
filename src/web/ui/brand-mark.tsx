import { portalSettings } from '#web/http/portal-settings.ts'

export function BrandMark() {
  if (portalSettings.logoPath)
    return (
      <img
        src={portalSettings.logoPath}
        alt={portalSettings.groupName}
        className="h-8 w-auto max-w-40 object-contain"
      />
    )
  return (
    <span className="flex min-w-0 max-w-full items-center gap-2.5">
      <svg viewBox="0 0 28 28" aria-hidden="true" className="size-7 shrink-0 text-brand">
        <rect width="28" height="28" rx="7" fill="currentColor" />
        <g className="fill-brand-foreground">
          <rect x="6" y="15" width="4" height="7" rx="1.2" opacity=".55" />
          <rect x="12" y="11" width="4" height="11" rx="1.2" opacity=".8" />
          <rect x="18" y="6" width="4" height="16" rx="1.2" />
        </g>
      </svg>
      <span className="min-w-0 truncate font-semibold max-sm:group-has-data-report-title/header:hidden text-[0.9375rem] tracking-tight">
        {portalSettings.groupName}
      </span>
    </span>
  )
}
