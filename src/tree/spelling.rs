//! How system values are spelled where people read of them. Inside they are in upper case, since case does not count.

const SPELLINGS: &[&str] = &[
    "SV_Barycentrics",
    "SV_ClipDistance",
    "SV_Coverage",
    "SV_CullDistance",
    "SV_CullPrimitive",
    "SV_Depth",
    "SV_DepthGreaterEqual",
    "SV_DepthLessEqual",
    "SV_DeviceIndex",
    "SV_DispatchThreadID",
    "SV_DomainLocation",
    "SV_DrawIndex",
    "SV_FragCoord",
    "SV_FragInvocationCount",
    "SV_FragSize",
    "SV_GroupID",
    "SV_GroupIndex",
    "SV_GroupThreadID",
    "SV_GSInstanceID",
    "SV_InnerCoverage",
    "SV_InsideTessFactor",
    "SV_InstanceID",
    "SV_IsFrontFace",
    "SV_NumWorkgroups",
    "SV_OutputControlPointID",
    "SV_PointCoord",
    "SV_PointSize",
    "SV_Position",
    "SV_PrimitiveID",
    "SV_RenderTargetArrayIndex",
    "SV_SampleIndex",
    "SV_ShadingRate",
    "SV_StartInstanceLocation",
    "SV_StartVertexLocation",
    "SV_StencilRef",
    "SV_Target",
    "SV_TessFactor",
    "SV_VertexID",
    "SV_ViewID",
    "SV_ViewportArrayIndex",
    "SV_VulkanInstanceID",
    "SV_VulkanSamplePosition",
    "SV_VulkanVertexID",
    "SV_WaveLaneCount",
    "SV_WaveLaneIndex",
];

/// The system value that a name of none is probably meant to be.
pub fn misspelled(name: &str) -> Option<&'static str> {
    let is_known =
        SPELLINGS.iter().any(|known| known.eq_ignore_ascii_case(name.trim_end_matches(|c: char| c.is_ascii_digit())));
    if is_known { None } else { crate::symbol::nearest(name, SPELLINGS.iter().copied()) }
}

/// A system value, without its index, as D3D and Slang write it; another name as it is.
pub fn spelled(name: &str) -> &str {
    SPELLINGS.iter().find(|known| known.eq_ignore_ascii_case(name)).copied().unwrap_or(name)
}
