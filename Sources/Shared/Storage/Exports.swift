@_exported public import Domain
